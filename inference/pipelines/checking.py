"""Checks of declared pipelines: every value must have the type that its user takes, and every member must be used."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    named,
    needs,
)
from inference.pipelines.members import Member, answer_type
from inference.pipelines.operations import OPERATIONS
from inference.pipelines.operations.values import (
    BOOLEAN,
    JSON,
    LINES,
    NUMBER,
    PAGE,
    TEXT,
    TEXTS,
    VECTOR,
    VECTORS,
    ValueType,
    constant_type,
    joined,
    object_of,
    tensor_of,
    type_at,
)
from inference.runtime.parameters import DOCUMENT, EMBED, INTERFACES, TENSORS, Parameter
from inference.runtime.parameters import TEXT as TEXT_KIND
from inference.runtime.parameters import TEXTS as TEXTS_KIND
from tenants.core.messages import value_in_words

OF_THE_PAGE = frozenset({"number", "state", "error", "attempts", "cost", "picture", "started_at", "finished_at"})
"""The fields that a result has for every page, in addition to the model's answer."""
MEANINGS = {
    "text": (TEXT,),
    "lines": (LINES,),
    "width": (NUMBER,),
    "height": (NUMBER,),
    "source": (TEXT,),
    "blocks": (JSON,),
    "tables": (JSON,),
    "rotation": (NUMBER,),
    "angle": (NUMBER,),
    "sheet": (JSON,),
    "quality": (NUMBER,),
    "needs_review": (BOOLEAN,),
    "warnings": (JSON,),
    "codes": (JSON,),
    "marks": (JSON,),
    "pairs": (JSON,),
    "class": (object_of({}),),
    "embedding": (VECTOR,),
    "embeddings": (VECTORS,),
    "truncated": (BOOLEAN, JSON),
    "outputs": (),
}
"""The types of names that pages, exports and the search read. They must mean the same in every answer."""


def check_graph(graph: Graph, members: Mapping[str, Member]) -> ValueType:
    """Check a graph and return the type of its answer. A GraphInvalid names the wrong step."""
    _check_members(graph, members)
    checker = _Checker(graph, members)
    kinds = frozenset(graph.accepts)
    answer = checker.check_block(graph.block, kinds)
    if answer.kind != "object":
        raise GraphInvalid(
            f'the output is {answer}, and an answer is an object: give it a name, as in {{"output": {{"name": …}}}}'
        )
    if not answer.is_json:
        pages = [name for name, field_type in answer.fields.items() if not field_type.is_json]
        raise GraphInvalid(f"the output holds a page, which no answer carries: {', '.join(pages)}")
    _check_names(answer)
    match graph.search_by:
        case Reference():
            found = checker.type_of(graph.search_by, "search_by", kinds)
            if found.kind != VECTOR.kind:
                raise GraphInvalid(f"search_by must be the embedding of a text, not {found}")
        case SearchMember(role):
            _check_search_member(members[role], answer)
    _check_all_used(graph)
    return answer


def _check_search_member(member: Member, answer: ValueType) -> None:
    if member.runtime != EMBED:
        raise GraphInvalid(f"search_by: {member.key} embeds no pages; name a member with the runtime '{EMBED}'")
    if "text" not in answer.fields:
        raise GraphInvalid("search_by: the member embeds the answer's `text`, and the output has none")


def _check_names(answer: ValueType) -> None:
    for name, field_type in answer.fields.items():
        if name in OF_THE_PAGE:
            raise GraphInvalid(f"the output names a value '{name}', which every page has already: choose another name")
        allowed = [meaning.kind for meaning in MEANINGS.get(name, (field_type,))]
        if field_type.kind not in allowed:
            problem = f"is {' or '.join(allowed)} in every answer, not" if allowed else "is what ONNX graphs give, not"
            raise GraphInvalid(f"the output's '{name}' {problem} {field_type}: choose another name")


def _check_members(graph: Graph, members: Mapping[str, Member]) -> None:
    for step in graph.block.walk():
        if isinstance(step, ModelStep) and step.role not in members:
            there = ", ".join(f"'{role}'" for role in sorted(members)) or "none"
            raise GraphInvalid(f"step '{step.name}': no member has the role '{step.role}'; members: {there}")
    if isinstance(graph.search_by, SearchMember) and graph.search_by.role not in members:
        there = ", ".join(f"'{role}'" for role in sorted(members)) or "none"
        raise GraphInvalid(f"search_by: no member has the role '{graph.search_by.role}'; members: {there}")
    for role in sorted(members):
        if role not in graph.roles:
            raise GraphInvalid(f"the member '{role}' ({members[role].key}) is used by no step")


def _check_all_used(graph: Graph) -> None:
    used = set(named(graph.block.output))
    if isinstance(graph.search_by, Reference):
        used |= named(graph.search_by)
    for step in graph.block.walk():
        used |= needs(step)
        if isinstance(step, BranchStep):
            used |= named(step.then.output, step.otherwise.output)
    for step in graph.block.walk():
        if step.name not in used:
            raise GraphInvalid(f"step '{step.name}' is used by no other step and is not the output")


@dataclass
class _Checker:
    graph: Graph
    members: Mapping[str, Member]
    found: dict[str, ValueType] = field(default_factory=dict)

    def check_block(self, block: Block, kinds: frozenset[str]) -> ValueType:
        for step in block.steps:
            self.found[step.name] = self._check_step(step, kinds)
        return self.type_of(block.output, "the output", kinds)

    def type_of(self, source: Source, where: str, kinds: frozenset[str]) -> ValueType:
        match source:
            case Constant():
                return constant_type(source.value)
            case Fields():
                return object_of(
                    {name: self.type_of(nested, f"{where}, {name}", kinds) for name, nested in source.sources.items()}
                )
        if source.source not in {INPUT, PARAMETERS, *self.found}:
            raise GraphInvalid(f"{where} refers to '{source.source}', which is no step that always runs")
        start = self._start(source, where, kinds)
        found = type_at(start, source.path)
        if found is None:
            there = ", ".join(f"'{name}'" for name in start.fields) or "nothing"
            raise GraphInvalid(
                f"{where} refers to '{source}', but '{source.source}' is {start}, of which can be read: {there}"
            )
        return found

    def _start(self, reference: Reference, where: str, kinds: frozenset[str]) -> ValueType:
        match reference.source:
            case "input":
                return self._input_type(where, kinds)
            case "parameters":
                return object_of({parameter.name: _parameter_type(parameter) for parameter in self.graph.parameters})
        return self.found[reference.source]

    def _input_type(self, where: str, kinds: frozenset[str]) -> ValueType:
        if len(kinds) != 1:
            raise GraphInvalid(
                f"{where} refers to 'input', which may be {' or '.join(sorted(kinds))} here: "
                'tell them apart first, by a branch with {"input_is": kind}'
            )
        tensors = {tensor.name: tensor_of(tensor.datatype, shape=tensor.shape) for tensor in self.graph.tensors}
        types = {DOCUMENT: PAGE, TEXT_KIND: TEXT, TEXTS_KIND: TEXTS, TENSORS: object_of(tensors)}
        return types[next(iter(kinds))]

    def _check_step(self, step: Step, kinds: frozenset[str]) -> ValueType:
        try:
            match step:
                case ModelStep():
                    return self._check_model(step, kinds)
                case OperationStep():
                    return self._check_operation(step, kinds)
                case BranchStep():
                    return self._check_branch(step, kinds)
        except GraphInvalid:
            raise
        except ValueError as error:
            raise GraphInvalid(f"step '{step.name}': {error}") from None

    def _check_model(self, step: ModelStep, kinds: frozenset[str]) -> ValueType:
        member = self.members[step.role]
        self._check_parameters(step, member, kinds)
        return answer_type(member, self._types(step.inputs, step, kinds))

    def _check_parameters(self, step: ModelStep, member: Member, kinds: frozenset[str]) -> None:
        interface = INTERFACES.get(member.runtime)
        taken = interface.parameters if interface else member.parameters
        parameters = {parameter.name: parameter for parameter in taken}
        for name, given in self._types(step.parameters, step, kinds).items():
            if name not in parameters:
                there = ", ".join(f"'{parameter_name}'" for parameter_name in parameters) or "none"
                raise ValueError(f"{member.key} has no parameter '{name}'; it has {there}")
            source, wanted = step.parameters[name], parameters[name]
            if isinstance(source, Constant) and not wanted.accepts(source.value):
                raise ValueError(f"'{name}' must be {wanted.expected}, not {value_in_words(source.value)}")
            if not given.fits(_parameter_type(wanted)):
                raise ValueError(f"'{name}' must be {wanted.expected}, not {given}")

    def _check_operation(self, step: OperationStep, kinds: frozenset[str]) -> ValueType:
        operation = OPERATIONS[step.operation]
        given = self._types(step.inputs, step, kinds)
        operation.check_inputs(given)
        return operation.gives(given, step.parameters)

    def _check_branch(self, step: BranchStep, kinds: frozenset[str]) -> ValueType:
        then_kinds, else_kinds = kinds, kinds
        if isinstance(step.condition, InputIs):
            then_kinds = frozenset({step.condition.kind})
            else_kinds = kinds - then_kinds
            if not then_kinds < kinds:
                raise ValueError(
                    f"the input is never {step.condition.kind!r:.40} on one side: it may be {', '.join(sorted(kinds))}"
                )
        else:
            self._check_comparison(step.condition, step.name, kinds)
        then = self._check_side(step.then, then_kinds)
        otherwise = self._check_side(step.otherwise, else_kinds)
        both = joined(then, otherwise)
        if both is None:
            raise ValueError(f"its sides give values that nothing takes both of: {then}, and {otherwise}")
        return both

    def _check_side(self, block: Block, kinds: frozenset[str]) -> ValueType:
        """Check one side of a branch. Its steps are not available to steps after the branch."""
        before = dict(self.found)
        given = self.check_block(block, kinds)
        self.found = before
        return given

    def _check_comparison(self, condition: Comparison, name: str, kinds: frozenset[str]) -> None:
        value = self.type_of(condition.value, f"step '{name}': `if`", kinds)
        allowed = (NUMBER, BOOLEAN, TEXT) if condition.test == "is" else (NUMBER,)
        constant = constant_type(condition.constant)
        if (
            value.kind not in {allowed_type.kind for allowed_type in allowed}
            or value.nullable
            or value.kind != constant.kind
        ):
            raise ValueError(
                f"`if` compares {value} with {constant} by '{condition.test}', which compares "
                f"{', '.join(allowed_type.kind for allowed_type in allowed)} with the same"
            )

    def _types(
        self, sources: Mapping[str, Source], step: ModelStep | OperationStep, kinds: frozenset[str]
    ) -> dict[str, ValueType]:
        return {name: self.type_of(source, f"step '{step.name}': {name}", kinds) for name, source in sources.items()}


def _parameter_type(parameter: Parameter) -> ValueType:
    return BOOLEAN if parameter.type == "boolean" else NUMBER
