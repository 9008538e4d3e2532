"""Reads a multipart form as its bytes arrive: one file, whose bytes are passed on at once, and a few short texts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from tenants.core.errors import DomainError
from tenants.core.messages import names_in_words

FILE_FIELD = "file"
HOW = f"Send one file in the field {FILE_FIELD!r}, for example: curl -F {FILE_FIELD}=@scan.pdf"


class InvalidForm(DomainError):
    code = "invalid_request"


class FileTooLarge(DomainError):
    code = "document_too_large"


@dataclass(frozen=True)
class FormLimits:
    file_bytes: int
    needs_file: bool = True
    """Whether a form without a file is refused. One about a model may name a URL or an upload instead."""
    fields: int = 20
    field_bytes: int = 64 * 1024

    @property
    def body_bytes(self) -> int:
        """Return the largest size of the whole form, with headroom for boundaries and part headers."""
        return self.file_bytes + self.fields * self.field_bytes + 64 * 1024


@dataclass(frozen=True)
class Form:
    filename: str | None
    """The name as the sender wrote it, or None without a file. The code that stores it makes it safe."""
    content_type: str
    fields: Mapping[str, str]


@dataclass
class _Part:
    """The part that is being read."""

    headers: dict[str, bytes] = field(default_factory=dict)
    name: str = ""
    filename: str | None = None
    content_type: str = ""
    text: bytearray = field(default_factory=bytearray)

    @property
    def is_file(self) -> bool:
        return self.filename is not None


def boundary_of(content_type: str) -> bytes | None:
    """Return the boundary of a multipart form, or None if the body is not one."""
    kind, options = parse_options_header(content_type)
    return options.get(b"boundary", b"") if kind == b"multipart/form-data" else None


class FormReader:
    """A parser that gets its bytes through `write`. `finish` returns the form or says what is wrong with it."""

    def __init__(self, boundary: bytes, limits: FormLimits, on_file_bytes: Callable[[bytes], None]) -> None:
        self._limits = limits
        self._on_file_bytes = on_file_bytes
        self._file_bytes = 0
        self._file: _Part | None = None
        self._fields: dict[str, str] = {}
        self._part = _Part()
        self._header = bytearray()
        self._value = bytearray()
        self._ended = False
        self.before_file: Callable[[Mapping[str, str]], None] | None = None
        """Called with the fields that came before the file. It may refuse the file."""
        if not boundary:
            raise InvalidForm("The Content-Type of the multipart form has no boundary. Add boundary=….")
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._on_part_begin,
                    "on_header_field": self._on_header_field,
                    "on_header_value": self._on_header_value,
                    "on_header_end": self._on_header_end,
                    "on_headers_finished": self._on_headers_finished,
                    "on_part_data": self._on_part_data,
                    "on_part_end": self._on_part_end,
                    "on_end": self._on_end,
                },
            )
        except FormParserError as error:
            raise InvalidForm(f"Invalid multipart boundary: {error}.") from error

    def write(self, data: bytes) -> None:
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise InvalidForm(f"Invalid multipart form: {error}.") from error

    def finish(self) -> Form:
        if not self._ended:
            raise InvalidForm(
                "The multipart form ended before its closing boundary. Send the whole form with the right boundary."
            )
        if self._file is None and not self._limits.needs_file:
            return Form(None, "", self._fields)
        if self._file is None:
            found = f"the fields {names_in_words(sorted(self._fields))}" if self._fields else "no field at all"
            raise InvalidForm(f"The form has no file; it has {found}. {HOW}")
        return Form(self._file.filename or "", self._file.content_type, self._fields)

    def _on_part_begin(self) -> None:
        self._part = _Part()

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        self._part.headers[self._header.decode("latin-1").lower()] = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _on_headers_finished(self) -> None:
        part = self._part
        _, options = parse_options_header(part.headers.get("content-disposition", b""))
        part.name = options.get(b"name", b"").decode("utf-8", "replace")
        part.content_type = part.headers.get("content-type", b"").decode("latin-1")[:255]
        if b"filename" in options:
            part.filename = options[b"filename"].decode("utf-8", "replace")
            self._begin_file(part)
        else:
            self._begin_text(part)

    def _begin_file(self, part: _Part) -> None:
        if part.name != FILE_FIELD:
            raise InvalidForm(f"The file is in the field {part.name!r} instead of {FILE_FIELD!r}. {HOW}")
        if self._file is not None:
            raise InvalidForm(f"The form has more than one file. Send one request per file. {HOW}")
        self._file = part
        if self.before_file is not None:
            self.before_file(self._fields)

    def _begin_text(self, part: _Part) -> None:
        if part.name == FILE_FIELD:
            raise InvalidForm(f"The field {FILE_FIELD!r} contains text instead of a file. Is the @ missing? {HOW}")
        if not part.name or part.name in self._fields:
            raise InvalidForm(f"Duplicate or unnamed form field: {part.name!r}.")
        if len(self._fields) >= self._limits.fields:
            raise InvalidForm(f"The form has more than {self._limits.fields} fields.")

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._part.is_file:
            self._file_bytes += end - start
            if self._file_bytes > self._limits.file_bytes:
                raise too_large(self._limits.file_bytes)
            self._on_file_bytes(data[start:end])
            return
        self._part.text += data[start:end]
        if len(self._part.text) > self._limits.field_bytes:
            raise InvalidForm(f"The field {self._part.name!r} is longer than {self._limits.field_bytes} bytes.")

    def _on_part_end(self) -> None:
        if self._part.is_file:
            return
        try:
            self._fields[self._part.name] = self._part.text.decode()
        except UnicodeDecodeError:
            raise InvalidForm(f"The field {self._part.name!r} is not UTF-8 text.") from None

    def _on_end(self) -> None:
        self._ended = True


def too_large(limit_bytes: int) -> FileTooLarge:
    return FileTooLarge(
        f"The file is larger than {limit_bytes} bytes, the maximum.",
        extra={"limit_bytes": limit_bytes},
    )
