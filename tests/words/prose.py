"""Find the prose of a file: what people read in it, without its code."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator

_QUOTED = re.compile(r"`[^`\n]*`")
_MARKDOWN_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`]*`|\]\([^)]*\)|<!-- (?:not run|sent):", re.MULTILINE | re.DOTALL)
_JAVASCRIPT_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'/])//[^\n]*", re.DOTALL)
_SQL_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_TEMPLATE_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_TRANSLATED = re.compile(r"\{% translate \"([^\"]*)\"")
_HTML_TAG = re.compile(r"<[^>]*>")
_READ_ATTRIBUTE = re.compile(r"\b(?:title|aria-label|placeholder|alt)=\"([^\"]*)\"")


def prose_of(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the prose of each line that has some."""
    lines = _READERS[path.rpartition(".")[2]](text).splitlines()
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _of_python(text: str) -> str:
    lines = text.splitlines()
    found = [""] * len(lines)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            end = node.end_lineno or node.lineno
            found[node.lineno - 1 : end] = lines[node.lineno - 1 : end]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            found[token.start[0] - 1] += token.string
    return _QUOTED.sub(_blank, "\n".join(found))


def _of_markdown(text: str) -> str:
    return _MARKDOWN_CODE.sub(_blank, text)


def _of_template(text: str) -> str:
    """Keep texts, comments, translated texts and the attributes that people read or hear."""
    shown = _TEMPLATE_TAG.sub(_blank, text)
    prose = list(_HTML_TAG.sub(_blank, shown))
    for source, pattern in ((text, _TRANSLATED), (shown, _READ_ATTRIBUTE)):
        for match in pattern.finditer(source):
            start, end = match.span(1)
            prose[start:end] = source[start:end]
    return "".join(prose)


def _comments(pattern: re.Pattern[str]) -> Callable[[str], str]:
    def comments(text: str) -> str:
        at, found = 0, ""
        for match in pattern.finditer(text):
            found += "\n" * text.count("\n", at, match.start()) + _QUOTED.sub(_blank, match.group())
            at = match.end()
        return found

    return comments


def _blank(match: re.Match[str]) -> str:
    """Replace a match by spaces, so that positions and lines stay."""
    return re.sub(r"[^\n]", " ", match.group())


_READERS: dict[str, Callable[[str], str]] = {
    "py": _of_python,
    "md": _of_markdown,
    "html": _of_template,
    "js": _comments(_JAVASCRIPT_COMMENT),
    "sql": _comments(_SQL_COMMENT),
}
