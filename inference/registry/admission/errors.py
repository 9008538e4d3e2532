"""The error with which a model file is refused."""

_MAX_DETAIL_CHARACTERS = 500
_MAX_NODE_CHARACTERS = 200


class ModelRefused(Exception):
    """The file cannot be served. The uploader must correct it, and it is never retried."""

    def __init__(self, code: str, detail: str, *, node: str = "", advice: str = "") -> None:
        """Take the reason, the name of the node that it is about, and advice that is better than that for the code."""
        # Details quote names from the file and messages from ONNX Runtime, and a hostile file can choose both.
        self.code = code
        self.detail = _printable(detail, _MAX_DETAIL_CHARACTERS)
        self.node = _printable(node, _MAX_NODE_CHARACTERS)
        self.advice = advice
        super().__init__(f"{self.code}: {self.detail}")


def _printable(text: str, max_characters: int) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:max_characters])
