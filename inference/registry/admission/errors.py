"""The error with which a model file is refused."""

_MAX_DETAIL_CHARACTERS = 500


class ModelRefused(Exception):
    """The file cannot be served. The uploader must correct it, and it is never retried."""

    def __init__(self, code: str, detail: str) -> None:
        # Details quote names from the file and messages from ONNX Runtime, and a hostile file can choose both.
        self.code = code
        self.detail = "".join(c if c.isprintable() else "?" for c in detail[:_MAX_DETAIL_CHARACTERS])
        super().__init__(f"{self.code}: {self.detail}")
