"""The structure of an operation: its settings, the values that it takes from steps, and the value it returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inference.core.contracts import Json
from inference.pipelines.operations.values import Value, ValueType
from tenants.core.messages import value_in_words

PREPROCESS, POSTPROCESS = "preprocess", "postprocess"
REQUIRED: Any = object()


@dataclass(frozen=True, slots=True)
class Setting:
    """A value of an operation's `parameters`, fixed when the pipeline is declared."""

    name: str
    accepts: Callable[[Json], bool]
    expected: str
    default: Json = REQUIRED


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    kind: str
    gives: Callable[[Mapping[str, ValueType], Mapping[str, Json]], ValueType]
    """The type of the value, by the types of the inputs and the settings. It raises ValueError if they do not fit."""
    run: Callable[[Mapping[str, Value], Mapping[str, Json]], Value]
    takes: Mapping[str, ValueType] = field(default_factory=dict)
    any_of: ValueType | None = None
    """The type that every input must have, for an operation whose inputs may have any names."""
    settings: tuple[Setting, ...] = ()
    looks_at_picture: bool = False
    """Set if the operation looks at the picture of a page that has text of its own."""

    def complete(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Return the settings with defaults filled in; raise ValueError for unknown settings and wrong values."""
        settings = {setting.name: setting for setting in self.settings}
        for name in given:
            if name not in settings:
                raise ValueError(f"'{self.name}' has no parameter {name!r:.60}; it has {_listed(settings)}")
        return {name: self._value(setting, given) for name, setting in settings.items()}

    def _value(self, setting: Setting, given: Mapping[str, Json]) -> Json:
        value = given.get(setting.name, setting.default)
        if value is REQUIRED:
            raise ValueError(f"'{self.name}' needs the parameter '{setting.name}': {setting.expected}")
        if setting.name in given and not setting.accepts(value):
            raise ValueError(f"'{setting.name}' must be {setting.expected}, not {value_in_words(value)}")
        return value

    def check_inputs(self, given: Mapping[str, ValueType]) -> None:
        """Raise ValueError if an input is missing, unknown or of another type."""
        takes = self.takes if self.any_of is None else dict.fromkeys(given, self.any_of)
        if not given or set(given) != set(takes):
            raise ValueError(f"'{self.name}' takes {_listed(takes)}; it is given {_listed(given)}")
        for name, wanted in takes.items():
            if not given[name].fits(wanted):
                raise ValueError(f"'{name}' must be {wanted}, not {given[name]}")


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "nothing"


def always(given: ValueType) -> Callable[[Mapping[str, ValueType], Mapping[str, Json]], ValueType]:
    """Return a `gives` function for operations that return the same type for all inputs."""
    return lambda inputs, settings: given


def whole_number(least: int, most: int) -> Callable[[Json], bool]:
    return lambda value: type(value) is int and least <= value <= most


def number(least: float, most: float) -> Callable[[Json], bool]:
    """Return a check for a number in this range. NaN compares false with everything and is therefore refused."""
    return lambda value: type(value) in (int, float) and least <= value <= most


def one_of(*choices: str) -> Callable[[Json], bool]:
    return lambda value: isinstance(value, str) and value in choices


def texts(most: int) -> Callable[[Json], bool]:
    return lambda value: (
        isinstance(value, list) and 0 < len(value) <= most and all(isinstance(text, str) for text in value)
    )


def text(value: Json) -> bool:
    return isinstance(value, str)
