"""Reads emails: their header, their text, and the names of their attachments."""

import codecs
import email.errors
import email.generator
import email.header
import email.parser
import email.policy
import io
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message

from ..limits import DocumentLimits, corrupt, too_complex
from . import html
from .items import Cell, Json, PageItems, Table, clean

# The standard library decodes with it, and it cannot be looked up once the file system is closed.
codecs.lookup("raw-unicode-escape")
_SHOWN = ("From", "Reply-To", "To", "Cc", "Bcc", "Date")
MAX_PARTS = 1000
MAX_DEPTH = 30
_MAX_HEADER = 20_000
_SIGNATURES = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"})
_AS_IT_IS = email.policy.compat32.clone(max_line_length=0)
"""The policy that writes an email as it was read: no line of its header is folded anew."""


@dataclass(frozen=True, slots=True)
class Attached:
    """A part of an email beside its text."""

    name: str
    part: Message
    skipped: str
    """The reason why nobody reads the part as a document of its own. It is empty for an attachment."""
    line_end: str

    def content(self) -> bytes:
        """Return what was attached. Of an attached email, it is all of that email."""
        inner = self.part.get_payload()
        if (
            self.part.get_content_type() == "message/rfc822"
            and isinstance(inner, list)
            and inner
            and isinstance(inner[0], Message)
        ):
            return _written(inner[0], self.line_end)
        payload = self.part.get_payload(decode=True)
        return payload if isinstance(payload, bytes) else b""


def read_items(data: bytes, limits: DocumentLimits) -> list[Json]:
    message, parts = _parsed(data)
    items = PageItems(limits)
    items.add("heading", _header(message, "Subject") or "Email without a subject", 1)
    _add_header(items, message)
    body = _body(parts)
    if body is not None:
        _add_body(items, body, limits)
    names = [_name(part) for part in parts if part is not body and _is_attached(part)]
    if names:
        items.add("heading", "Attachments", 2)
        for name in names:
            items.add("list_item", f"• {name}")
    return items.reply()


def attached_parts(data: bytes) -> list[Attached]:
    """Return the parts beside the text, in their order."""
    _, parts = _parsed(data)
    body = _body(parts)
    page = _text_of(body) if body is not None and body.get_content_type() == "text/html" else ""
    line_end = "\r\n" if b"\r\n" in data[:_MAX_HEADER] else "\n"
    return [
        Attached(_name(part), part, _reason_to_skip(part, page), line_end)
        for part in parts
        if part is not body and _is_attached(part)
    ]


def _written(message: Message, line_end: str) -> bytes:
    written = io.BytesIO()
    try:
        generator = email.generator.BytesGenerator(written, mangle_from_=False, policy=_AS_IT_IS)
        generator.flatten(message, linesep=line_end)
    except RecursionError as error:
        raise too_complex("The email has parts within parts, too many levels deep.") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise corrupt("The attached email is damaged.") from error
    return written.getvalue()


def _parsed(data: bytes) -> tuple[Message, list[Message]]:
    try:
        message = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(data)
        return message, list(_parts(message))
    except RecursionError as error:
        raise too_complex("The email has parts within parts, too many levels deep.") from error


def _reason_to_skip(part: Message, page: str) -> str:
    if part.get_content_type() in _SIGNATURES:
        return "signature"
    content_id = str(part.get("Content-ID", "")).strip().strip("<>")
    is_inline = part.get_content_maintype() == "image" and part.get_content_disposition() != "attachment"
    return "inline_picture" if is_inline and content_id and f"cid:{content_id}" in page else ""


def _add_header(items: PageItems, message: Message) -> None:
    found = [(name, text) for name in _SHOWN if (text := _header(message, name))]
    cells = [
        cell for row, (name, text) in enumerate(found) for cell in (Cell(row, 0, name, header=True), Cell(row, 1, text))
    ]
    if cells:
        items.add_table(Table(len(found), 2, cells))


def _header(message: Message, name: str) -> str:
    texts = [_decoded(str(value)[:_MAX_HEADER]) for value in (message.get_all(name) or [])[:10]]
    return clean(", ".join(" ".join(text.split()) for text in texts))


def _decoded(value: str) -> str:
    pieces = []
    try:
        for text, charset in email.header.decode_header(value):
            pieces.append(html.decode(text, charset) if isinstance(text, bytes) else text)
    except (ValueError, LookupError, email.errors.HeaderParseError):
        return value
    return "".join(pieces)


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts that are no containers. An email in the email is one part: an attachment."""
    stack: list[tuple[Message, int]] = [(message, 0)]
    count = 0
    while stack:
        part, depth = stack.pop()
        count += 1
        if count > MAX_PARTS:
            raise too_complex(f"The email has more than {MAX_PARTS} parts.")
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            if depth >= MAX_DEPTH:
                raise too_complex(f"The email has parts within parts, more than {MAX_DEPTH} levels deep.")
            stack += [(inner, depth + 1) for inner in reversed(part.get_payload())]  # type: ignore[arg-type]
        else:
            yield part


def _is_attached(part: Message) -> bool:
    if part.get_content_disposition() == "attachment" or part.get_filename():
        return True
    return part.get_content_type() not in {"text/plain", "text/html"}


def _body(parts: list[Message]) -> Message | None:
    """Return the text of the email: its HTML part if there is one, else its plain text."""
    for wanted in ("text/html", "text/plain"):
        for part in parts:
            if part.get_content_type() == wanted and part.get_content_disposition() != "attachment":
                return part
    return None


def _add_body(items: PageItems, part: Message, limits: DocumentLimits) -> None:
    text = _text_of(part)
    if part.get_content_type() == "text/html":
        html.add_page(items, text, limits)
        return
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip():
            block.append(line)
        elif block:
            items.add("paragraph", "\n".join(block))
            block = []


def _text_of(part: Message) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_param("charset")
    return html.decode(data, charset if isinstance(charset, str) else None)


def _name(part: Message) -> str:
    name = part.get_filename()
    if name:
        return " ".join(_decoded(str(name)[:_MAX_HEADER]).split())[:300]
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        first = inner[0] if isinstance(inner, list) and inner else None
        subject = _header(first, "Subject") if isinstance(first, Message) else ""
        return f"{subject or 'email'} (email)"
    return f"without a name ({part.get_content_type()})"
