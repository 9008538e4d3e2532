"""Check the parts of a request one by one. Each has the right kind and a bounded size, so that no error message becomes
too long.
"""

from collections.abc import Mapping

from inference.core.contracts import Json
from inference.gateway.described import describe
from inference.gateway.open_inference.errors import InvalidRequest

MAX_CHARACTERS = 200
"""The most characters of a name or of a request's id."""
MAX_PARAMETERS = 64
MAX_VALUE_CHARACTERS = 1000


def parameters_of(holder: Mapping[str, Json], where: str) -> dict[str, Json]:
    value = holder.get("parameters")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidRequest(f"`parameters` of {where} must be an object; it is {describe(value)}.")
    if len(value) > MAX_PARAMETERS:
        raise InvalidRequest(f"{where} has {len(value)} parameters; at most {MAX_PARAMETERS} are taken.")
    for name, one in value.items():
        _check_parameter(name, one, where)
    return dict(value)


def _check_parameter(name: str, value: Json, where: str) -> None:
    if len(name) > MAX_CHARACTERS:
        raise InvalidRequest(
            f"A parameter of {where} has a name of {len(name)} characters; at most {MAX_CHARACTERS} are taken."
        )
    if not isinstance(value, bool | int | float | str):
        raise InvalidRequest(
            f"The parameter {name!r} of {where} must be a number, a text, true or false; it is {describe(value)}."
        )
    if isinstance(value, str) and len(value) > MAX_VALUE_CHARACTERS:
        raise InvalidRequest(
            f"The parameter {name!r} of {where} has {len(value)} characters; at most {MAX_VALUE_CHARACTERS} are taken."
        )


def checked_shape(one: Mapping[str, Json], where: str) -> None:
    """Check that no size of the shape is a list, an object or a string, so that an error message can show the shape.
    The sizes themselves are checked when the tensor is read.
    """
    shape = one.get("shape")
    if isinstance(shape, list) and any(isinstance(size, list | dict | str) for size in shape):
        raise InvalidRequest(f"{where} has the shape of no tensor: it must be a list of sizes.")


def timeout_s(microseconds: Json) -> float | None:
    if type(microseconds) is not int or microseconds < 0:
        raise InvalidRequest(
            f"`timeout` is {describe(microseconds)}; it must be a whole number of microseconds, 0 for none."
        )
    return min(microseconds, 10**15) / 1e6 or None


def checked_id(value: Json) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidRequest(f"`id` must be text; it is {describe(value)}.")
    if value is not None and len(value) > MAX_CHARACTERS:
        raise InvalidRequest(f"`id` has {len(value)} characters; at most {MAX_CHARACTERS} are taken.")
    return value


def checked_name(one: Mapping[str, Json], where: str) -> str:
    name = one.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_CHARACTERS:
        raise InvalidRequest(f"{where} must have a name of at most {MAX_CHARACTERS} characters.")
    return name


def flag(value: Json, what: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidRequest(f"`{what}` must be true or false; it is {describe(value)}.")
    return value


def objects(said: Mapping[str, Json], name: str, most: int) -> list[dict[str, Json]]:
    value = said.get(name)
    if not isinstance(value, list):
        raise InvalidRequest(f"`{name}` must be a list of objects, each with a name.")
    if len(value) > most:
        raise InvalidRequest(f"`{name}` has {len(value)} objects; at most {most} are taken.")
    if not all(isinstance(one, dict) for one in value):
        raise InvalidRequest(f"`{name}` must be a list of objects, each with a name.")
    return value
