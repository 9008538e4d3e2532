"""The options of `make up`, read from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inference.runtime.tesseract_languages import listed_languages, unknown_language
from maas.process.errors import InvalidOption, require_own_port
from maas.process.own_servers import missing_servers

_EVERY_INTERFACE = {"0.0.0.0", "::"}  # noqa: S104 - recognized, not bound


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    home: Path
    host: str
    port: int
    variables: Mapping[str, str]
    grpc_port: int = 0
    ocr_languages: tuple[str, ...] = ()
    tessdata: Path | None = None
    """The operator's own folder of language data. Without it, the data is fetched into the home folder."""
    wal_archive: Path | None = None
    """The folder that the embedded PostgreSQL copies its finished log to."""

    @classmethod
    def read(cls, variables: Mapping[str, str]) -> "LaunchOptions":
        options = cls(
            home=Path(variables.get("MAAS_HOME") or "var").expanduser().absolute(),
            host=variables.get("MAAS_HOST") or "127.0.0.1",
            port=_port("MAAS_PORT", variables.get("MAAS_PORT") or "8000"),
            variables=variables,
            grpc_port=_port("MAAS_GRPC_PORT", variables.get("MAAS_GRPC_PORT") or "0", least=0),
            ocr_languages=listed_languages(variables.get("MAAS_OCR_LANGUAGES", "")),
            tessdata=Path(variables["MAAS_TESSDATA"]).expanduser() if variables.get("MAAS_TESSDATA") else None,
            wal_archive=_wal_archive(variables.get("MAAS_WAL_ARCHIVE", "")),
        )
        if refused := missing_servers(variables):
            raise InvalidOption(refused)
        require_own_port(port=options.port, grpc_port=options.grpc_port)
        _require_known(options.ocr_languages)
        if options.tessdata is not None and not options.tessdata.is_dir():
            raise InvalidOption(f"MAAS_TESSDATA={str(options.tessdata)!r} is no folder")
        return options

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.host in _EVERY_INTERFACE else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def replaces(self, variable: str) -> bool:
        return bool(self.variables.get(variable))


def _require_known(languages: tuple[str, ...]) -> None:
    if refused := unknown_language(languages):
        raise InvalidOption(refused)


def _wal_archive(text: str) -> Path | None:
    if not text:
        return None
    folder = Path(text).expanduser()
    if not folder.is_absolute():
        raise InvalidOption(f"MAAS_WAL_ARCHIVE={text!r} is not an absolute path")
    return folder


def _port(setting: str, text: str, *, least: int = 1) -> int:
    if text.isascii() and text.isdigit() and least <= int(text) < 65536:
        return int(text)
    raise InvalidOption(f"{setting}={text!r} is not a port: use a whole number from {least} to 65535")
