"""A call in Python, with the product's own client."""

from inference.core.contracts import Json
from jobs.dashboard.catalog.snippets.call import SAMPLE_PATH, Call
from jobs.dashboard.catalog.snippets.layout import Style, laid_out, python_text

INDENT = 4


def python_code(call: Call, base_url: str) -> str:
    arguments = [_scalar(call.model), _input(call)]
    if call.parameters:
        arguments.append(f"parameters={_literal(dict(call.parameters), 'parameters=')}")
    if call.priority:
        arguments.append(f"priority={_scalar(call.priority)}")
    environment = "" if call.key else "# The key is read from the environment: MAAS_API_KEY\n"
    key = f", {_scalar(call.key)}" if call.key else ""
    return (
        f"# pip install {base_url}/client.zip\n{environment}{_imports(call)}"
        f"{_fetch(call, base_url)}"
        f"client = Client({_scalar(base_url)}{key})\n"
        f"job = {_call('client.run', arguments)}\n"
        f"{_printed(call.shows)}"
    )


def _imports(call: Call) -> str:
    retrieve = "from urllib.request import urlretrieve\n\n" if call.sample else ""
    return f"{retrieve}from maas_client import Client\n\n"


def _fetch(call: Call, base_url: str) -> str:
    if not call.sample:
        return ""
    return f"urlretrieve({_scalar(base_url + SAMPLE_PATH)}, {_scalar(call.file_name)})\n"


def _input(call: Call) -> str:
    if call.file_name:
        return _scalar(call.file_name)
    match call.input:
        case str(text):
            return f"text={_scalar(text)}"
        case {"tensors": tensors}:
            return f"tensors={_literal(tensors, 'tensors=')}"
    return f"texts={_literal(call.input, 'texts=')}"


def _call(function: str, arguments: list[str]) -> str:
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= 82 and "\n" not in line:
        return line
    return f"{function}(\n" + "".join(f"{' ' * INDENT}{argument},\n" for argument in arguments) + ")"


def _literal(value: Json, name: str) -> str:
    return laid_out(value, Style(_scalar, INDENT), indent=INDENT, before=len(name))


def _scalar(value: Json) -> str:
    return python_text(value) if isinstance(value, str) else repr(value)


def _printed(shows: str) -> str:
    if shows == "text":
        return "print(job.text)"
    return f"for page in job.pages:\n    print(page.data[{_scalar(shows)}])"
