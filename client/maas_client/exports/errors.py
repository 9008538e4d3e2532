"""The errors of exports and imports."""

from maas_client.errors import MaasError


class CannotExport(MaasError):
    """The original cannot be exported, with the reason and what to do."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, code="cannot_export")


class ExportDiffers(MaasError):
    """The exported file answers otherwise than the original, so it is not pushed."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, code="export_differs")
