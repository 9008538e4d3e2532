"""The one error by which a model file is turned away."""

_MAX_DETAIL_CHARACTERS = 500


class ModelRefused(Exception):
    """The file cannot be served; the uploader's to mend, never retried."""

    def __init__(self, code: str, detail: str) -> None:
        # Details quote names out of the file and messages out of ONNX Runtime, which a hostile file chooses.
        self.code = code
        self.detail = "".join(c if c.isprintable() else "?" for c in detail[:_MAX_DETAIL_CHARACTERS])
        super().__init__(f"{self.code}: {self.detail}")
