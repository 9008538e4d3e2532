"""The options of `manage.py edge`, checked before anything is built."""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from maas.edge_mode.errors import CannotServe

MIN_KEY_CHARACTERS = 16
MAX_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class EdgeOptions:
    models: tuple[str, ...]
    onnx: Mapping[str, Path]
    graphs: Mapping[str, Path]
    members: Mapping[str, Mapping[str, str]]
    """Maps, for each declared pipeline, every role to the name of a model that is served here."""
    host: str
    port: int
    key: str
    deadline_s: float
    at_once: int
    """The number of pages and calls that are worked on at the same time."""

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def check_options(options: EdgeOptions) -> None:
    if not (options.models or options.onnx or options.graphs):
        raise CannotServe("there is nothing to serve: name --models, or files with --onnx name=path")
    if options.key and len(options.key) < MIN_KEY_CHARACTERS:
        raise CannotServe(
            f"MAAS_EDGE_KEY has {len(options.key)} characters; use {MIN_KEY_CHARACTERS} or more, such as those that "
            "`openssl rand -hex 24` prints"
        )
    if not _is_address(options.host):
        raise CannotServe(f"--host {options.host[:80]!r} is not an address: write one such as 127.0.0.1 or ::1")
    if not options.key and not is_loopback(options.host):
        raise CannotServe(
            f"--host {options.host} can be reached from other machines, and callers would need no key: "
            "set MAAS_EDGE_KEY, or listen on 127.0.0.1"
        )
    if not 0 < options.port < 65536:
        raise CannotServe(f"--port {options.port} is not a port: use a whole number from 1 to 65535")
    if not 1 <= options.at_once <= MAX_AT_ONCE:
        raise CannotServe(f"--at-once {options.at_once} must be from 1 to {MAX_AT_ONCE}")
    if not 0 < options.deadline_s <= 3600:
        raise CannotServe(f"--deadline {options.deadline_s:g} must be more than 0 and at most 3600 seconds")


def is_loopback(host: str) -> bool:
    """Say whether a host certainly stays on this machine. A name other than `localhost` may mean any address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def named_files(given: Sequence[str], option: str) -> dict[str, Path]:
    """Parse `name=path` options. Each name may be given only once."""
    return {name: Path(path).expanduser() for name, path in _pairs(given, option, "name=path").items()}


def named_members(given: Sequence[str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for target, model in _pairs(given, "--member", "pipeline.role=model").items():
        pipeline, dot, role = target.rpartition(".")
        if not dot or not pipeline or not role:
            raise CannotServe(f"--member {target}={model} must be written pipeline.role=model")
        found.setdefault(pipeline, {})[role] = model
    return found


def names_in(text: str) -> tuple[str, ...]:
    """Split names at commas, and drop repeated ones."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _pairs(given: Sequence[str], option: str, form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for option_value in given:
        name, equals, value = option_value.partition("=")
        if not equals or not name or not value:
            raise CannotServe(f"{option} {option_value!r:.120} must be written {form}")
        if name in found:
            raise CannotServe(f"{option} names {name!r} twice")
        found[name] = value
    return found
