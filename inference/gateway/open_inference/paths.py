"""Find the action that a path asks for."""

import re
from dataclasses import dataclass
from typing import Literal

Action = Literal[
    "server",
    "live",
    "ready",
    "model",
    "model_ready",
    "config",
    "statistics",
    "infer",
    "index",
    "load",
    "unload",
]

_MODEL = r"/v2/models/(?P<model>[^/]+)(?:/versions/(?P<version>[^/]+))?"
PATHS: tuple[tuple[str, Action, str], ...] = (
    ("GET", "server", r"/v2/?"),
    ("GET", "live", r"/v2/health/live"),
    ("GET", "ready", r"/v2/health/ready"),
    ("GET", "statistics", r"/v2/models/stats"),
    ("GET", "model_ready", rf"{_MODEL}/ready"),
    ("GET", "config", rf"{_MODEL}/config"),
    ("GET", "statistics", rf"{_MODEL}/stats"),
    ("POST", "infer", rf"{_MODEL}/infer"),
    ("GET", "model", rf"{_MODEL}/?"),
    ("POST", "index", r"/v2/repository/index"),
    ("POST", "load", r"/v2/repository/models/(?P<model>[^/]+)/load"),
    ("POST", "unload", r"/v2/repository/models/(?P<model>[^/]+)/unload"),
)
_COMPILED = tuple((method, action, re.compile(pattern)) for method, action, pattern in PATHS)


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    action: Action
    model: str = ""
    version: str = ""
    """The version number, or an empty string for the version that the operator has made current."""

    @property
    def reference(self) -> str:
        return f"{self.model}@{self.version}" if self.version else self.model


def route_of(path: str) -> Route | None:
    for method, action, pattern in _COMPILED:
        if found := pattern.fullmatch(path):
            return Route(method, action, **{name: value or "" for name, value in found.groupdict().items()})
    return None
