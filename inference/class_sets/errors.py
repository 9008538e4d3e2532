"""The errors of examples that no class set can be made from."""


class ClassSetError(ValueError):
    """Examples or a stored class set that cannot be used."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
