"""The error for a transformation that gave no file."""

_MAX_DETAIL_CHARACTERS = 500


class TransformRefused(Exception):
    """No variant was made. The message gives the reason, and the same transformation would fail again."""

    def __init__(self, code: str, detail: str) -> None:
        # Details quote names from the file and messages of the tools, and a hostile file can choose both.
        self.code = code
        self.detail = "".join(c if c.isprintable() else "?" for c in detail[:_MAX_DETAIL_CHARACTERS])
        super().__init__(f"{self.code}: {self.detail}")
