"""A reader of pipeline declarations that reports each formal mistake. `checking.py` checks how steps fit."""

import json
import re
from typing import TypeVar, cast

from inference.core.contracts import Json
from inference.pipelines.graph import (
    INPUT,
    PARAMETERS,
    Block,
    BranchStep,
    Comparison,
    Constant,
    Fields,
    Graph,
    GraphInvalid,
    InputIs,
    ModelStep,
    OperationStep,
    Reference,
    SearchMember,
    Source,
    Step,
    needs,
    references,
)
from inference.pipelines.operations import OPERATIONS
from inference.runtime.parameters import (
    DOCUMENT,
    EVERY_KIND,
    TENSORS,
    TEXT,
    TEXTS,
    Parameter,
    read_parameters,
)
from inference.runtime.tensor_requests import NUMPY_TYPES
from inference.runtime.tensors import TensorSpec
from tenants.core.messages import value_in_words

MAX_STEPS = 32
MAX_NESTED = 6
"""The deepest nesting of branches inside branches."""
MAX_CHARACTERS = 256 * 1024
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
Typed = TypeVar("Typed")
TESTS = ("is", "at_least", "below")


def read_graph(declared: Json) -> Graph:
    _check_size(declared)
    about = _Object(declared, "the declaration")
    about.only("accepts", "documents", "parameters", "tensors", "steps", "output", "search_by")
    accepts = _read_kinds("accepts", about.get("accepts"), (DOCUMENT, TEXT, TEXTS, TENSORS))
    block = _BlockReader().read(about, nested=0)
    search_by = about.get("search_by")
    return Graph(
        accepts,
        _read_documents(about.get("documents"), accepts),
        _read_parameters(about.get("parameters", [])),
        _read_tensors(about.get("tensors"), accepts),
        block,
        _read_search_by(search_by),
    )


def _read_search_by(search_by: Json) -> Reference | SearchMember | None:
    if not isinstance(search_by, dict):
        return None if search_by is None else _reference(search_by, "search_by")
    about = _Object(search_by, "search_by")
    about.only("role")
    return SearchMember(about.text("role"))


def _check_size(declared: Json) -> None:
    try:
        characters = len(json.dumps(declared, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise GraphInvalid(f"the declaration is not JSON: {error}") from None
    if characters > MAX_CHARACTERS:
        raise GraphInvalid(f"the declaration has {characters} characters as JSON; at most {MAX_CHARACTERS} fit")


class _Object:
    """A JSON object whose fields are looked up by their allowed names."""

    def __init__(self, value: Json, where: str) -> None:
        if not isinstance(value, dict):
            raise GraphInvalid(f"{where} must be an object, not {_kind(value)}")
        self._value = cast(dict[str, Json], value)
        self.where = where

    def only(self, *names: str) -> None:
        unknown = sorted(set(self._value) - set(names))
        if unknown:
            raise GraphInvalid(f"{self.where} has no field {unknown[0]!r:.60}; it may have {', '.join(names)}")

    def get(self, name: str, default: Json = None) -> Json:
        return self._value.get(name, default)

    def text(self, name: str) -> str:
        return self._typed(name, str, "a text", self.get(name))

    def objects(self, name: str) -> list[Json]:
        return self._typed(name, list, "a list", self.get(name, []))

    def mapping(self, name: str) -> dict[str, Json]:
        return self._typed(name, dict, "an object", self.get(name, {}))

    def _typed(self, name: str, kind: type[Typed], expected: str, value: Json) -> Typed:
        if not isinstance(value, kind):
            raise GraphInvalid(f"{self.where}: `{name}` must be {expected}, not {_kind(value)}")
        return value


class _BlockReader:
    """A reader of steps in order. It knows the names in use everywhere and the names that a step may refer to here."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def read(self, about: _Object, *, nested: int, earlier: frozenset[str] = frozenset()) -> Block:
        if nested > MAX_NESTED:
            raise GraphInvalid(f"{about.where}: branches are nested deeper than {MAX_NESTED}")
        earlier_steps, steps = set(earlier), []
        for position, step_object in enumerate(about.objects("steps")):
            step = self._read_step(_Object(step_object, f"steps[{position}] of {about.where}"), nested, earlier_steps)
            steps.append(step)
            earlier_steps.add(step.name)
        output = _source(about.get("output"), f"the output of {about.where}", may_be_fields=True)
        _check_known(output, earlier_steps, f"the output of {about.where}")
        return Block(tuple(steps), output, {step.name: needs(step) for step in steps})

    def _read_step(self, about: _Object, nested: int, earlier_steps: set[str]) -> Step:
        name = self._take_name(about)
        about.where = f"step '{name}'"
        match about.text("kind"):
            case "model":
                return _read_model_step(about, name, earlier_steps)
            case "preprocess" | "postprocess" as kind:
                return _read_operation_step(about, name, kind, earlier_steps)
            case "branch":
                return self._read_branch(about, name, nested, earlier_steps)
            case other:
                raise GraphInvalid(
                    f"{about.where}: `kind` is {other!r:.40}; there are model, preprocess, postprocess, branch"
                )

    def _take_name(self, about: _Object) -> str:
        name = about.text("name")
        if not NAME.fullmatch(name) or name in (INPUT, PARAMETERS):
            raise GraphInvalid(
                f"{about.where} is called {name!r:.60}: use up to 40 small letters, digits and _, beginning with a "
                f"letter; '{INPUT}' and '{PARAMETERS}' are taken"
            )
        if name in self._taken:
            raise GraphInvalid(f"two steps are called '{name}'; names are unique, inside branches too")
        self._taken.add(name)
        if len(self._taken) > MAX_STEPS:
            raise GraphInvalid(f"there are more than {MAX_STEPS} steps, those inside branches included")
        return name

    def _read_branch(self, about: _Object, name: str, nested: int, earlier_steps: set[str]) -> BranchStep:
        about.only("name", "kind", "if", "then", "else")
        condition = _read_condition(_Object(about.get("if"), f"`if` of {about.where}"), earlier_steps)
        sides = []
        for side in ("then", "else"):
            block = _Object(about.get(side), f"`{side}` of step '{name}'")
            block.only("steps", "output")
            sides.append(self.read(block, nested=nested + 1, earlier=frozenset(earlier_steps)))
        return BranchStep(name, condition, *sides)


def _read_model_step(about: _Object, name: str, earlier_steps: set[str]) -> ModelStep:
    about.only("name", "kind", "role", "inputs", "parameters")
    inputs = _sources(about, "inputs", earlier_steps)
    return ModelStep(name, about.text("role"), inputs, _sources(about, "parameters", earlier_steps))


def _read_operation_step(about: _Object, name: str, kind: str, earlier_steps: set[str]) -> OperationStep:
    about.only("name", "kind", "operation", "inputs", "parameters")
    called = about.text("operation")
    if called not in OPERATIONS:
        raise GraphInvalid(
            f"{about.where}: there is no operation {called!r:.60}; there are {', '.join(sorted(OPERATIONS))}"
        )
    operation = OPERATIONS[called]
    if operation.kind != kind:
        raise GraphInvalid(f"{about.where}: '{called}' is a {operation.kind}, not a {kind}")
    try:
        parameters = operation.complete(about.mapping("parameters"))
    except ValueError as error:
        raise GraphInvalid(f"{about.where}: {error}") from None
    return OperationStep(name, kind, called, _sources(about, "inputs", earlier_steps), parameters)


def _read_condition(about: _Object, earlier_steps: set[str]) -> InputIs | Comparison:
    if about.get("input_is") is not None:
        about.only("input_is")
        return InputIs(about.text("input_is"))
    about.only("value", *TESTS)
    tests = [test for test in TESTS if about.get(test) is not None]
    if len(tests) != 1:
        raise GraphInvalid(f'{about.where} must be {{"input_is": kind}}, or a value with one of {", ".join(TESTS)}')
    value = _reference(about.get("value"), about.where)
    _check_known(value, earlier_steps, about.where)
    return Comparison(value, tests[0], about.get(tests[0]))


def _sources(about: _Object, name: str, earlier_steps: set[str]) -> dict[str, Source]:
    found = {key: _source(value, f"{about.where}: {name}.{key:.60}") for key, value in about.mapping(name).items()}
    for key, source in found.items():
        _check_known(source, earlier_steps, f"{about.where}: {name}.{key:.60}")
    return found


def _source(value: Json, where: str, *, may_be_fields: bool = False) -> Source:
    match value:
        case str():
            return _reference(value, where)
        case {"constant": constant, **rest} if not rest:
            return Constant(constant)
        case dict() if may_be_fields and value:
            return Fields({str(name): _source(nested, f"{where}, {name:.60}") for name, nested in value.items()})
    wanted = 'the name of an earlier step, `input`, `parameters.name` or {"constant": …}'
    raise GraphInvalid(f"{where} must be {wanted}, not {_kind(value)}")


def _reference(value: Json, where: str) -> Reference:
    if not isinstance(value, str) or not value:
        raise GraphInvalid(f"{where} must name a value, such as `input` or `step.field`, not {_kind(value)}")
    source, _, path = value.partition(".")
    return Reference(source, path)


def _check_known(source: Source, earlier_steps: set[str], where: str) -> None:
    for reference in references(source):
        if reference.source not in earlier_steps | {INPUT, PARAMETERS}:
            there = ", ".join(f"'{name}'" for name in sorted(earlier_steps)) or "none"
            raise GraphInvalid(
                f"{where} refers to '{reference.source:.60}', which is no earlier step; earlier steps here: {there}"
            )


def _read_kinds(field: str, value: Json, kinds: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or any(kind not in kinds for kind in value):
        raise GraphInvalid(f"`{field}` must be a list of {', '.join(kinds)}; it is {_listed(value)}")
    if len(set(value)) != len(value):
        raise GraphInvalid(f"`{field}` names a kind twice")
    return tuple(value)


def _listed(value: Json) -> str:
    """Return the first items of a list in text form, or a description of a value that is not a list."""
    if not isinstance(value, list):
        return value_in_words(value)
    return ", ".join(value_in_words(item) for item in value[:5]) or "empty"


def _read_documents(value: Json, accepts: tuple[str, ...]) -> tuple[str, ...]:
    if value is None:
        return EVERY_KIND if DOCUMENT in accepts else ()
    if DOCUMENT not in accepts:
        raise GraphInvalid("`documents` says which documents are read: only if `accepts` names document")
    return _read_kinds("documents", value, EVERY_KIND)


def _read_parameters(value: Json) -> tuple[Parameter, ...]:
    try:
        return read_parameters(value)
    except ValueError as error:
        raise GraphInvalid(str(error)) from None


def _read_tensors(value: Json, accepts: tuple[str, ...]) -> tuple[TensorSpec, ...]:
    if value is None and TENSORS in accepts:
        raise GraphInvalid("`accepts` names tensors, and `tensors` is missing: a list of those that are sent")
    if value is not None and TENSORS not in accepts:
        raise GraphInvalid("`tensors` lists tensors that are sent, and `accepts` does not name them")
    found = []
    for item in value or ():
        match item:
            case {"name": str(name), "datatype": str(datatype), "shape": list(shape), **rest} if (
                not rest and datatype in NUMPY_TYPES and all(type(size) is int and size >= -1 for size in shape)
            ):
                found.append(TensorSpec(name, datatype, tuple(shape)))
            case _:
                raise GraphInvalid(
                    f"each of `tensors` has a name, a datatype ({', '.join(NUMPY_TYPES)}) and a shape, -1 for any "
                    f"size; one is {value_in_words(item)}"
                )
    return tuple(found)


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool() | int() | float():
            return f"the value {value_in_words(value)}"
        case str():
            return f"the text {value!r:.40}"
    return "a list" if isinstance(value, list) else "an object"
