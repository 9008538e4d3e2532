"""Checks that the steps of a declared pipeline fit its members, before the pipeline is registered."""

import re
from collections.abc import Mapping

from inference.core.contracts import Json
from inference.pipelines.account_limits import check_account_limits
from inference.pipelines.checking import check_graph
from inference.pipelines.declaration import read_graph
from inference.pipelines.graph import Graph, GraphInvalid
from inference.pipelines.members import Member
from inference.pipelines.operations.values import ValueType
from inference.registry.errors import PipelineInvalid
from inference.registry.models import ModelVersion
from inference.runtime.parameters import GRAPH


def read_declared(declared: Json) -> Graph:
    try:
        return read_graph(declared)
    except GraphInvalid as error:
        raise PipelineInvalid(f"Invalid pipeline: {error}.") from error


def check_declared(declared: Json, members: Mapping[str, ModelVersion]) -> ValueType:
    """Check a declared pipeline and return the type of its answer."""
    try:
        return check_graph(read_declared(declared), described_members(members))
    except GraphInvalid as error:
        raise PipelineInvalid(f"Invalid pipeline: {error}.") from error


def check_declared_by_account(declared: Json, members: Mapping[str, ModelVersion]) -> tuple[Graph, ValueType]:
    """Check the declared pipeline of an account. Return it, and the type of its answer. Raises GraphInvalid."""
    graph, described = read_graph(declared), described_members(members)
    check_account_limits(graph)
    return graph, check_graph(graph, described)


def step_of(invalid: GraphInvalid) -> str:
    """Return the step that an error is about, or nothing."""
    found = re.match(r"step '([^']+)'", str(invalid))
    return found[1] if found else ""


def described_members(members: Mapping[str, ModelVersion]) -> dict[str, Member]:
    return {role: _member(version) for role, version in members.items()}


def _member(version: ModelVersion) -> Member:
    if version.runtime != GRAPH:
        return Member(version.key, version.runtime, version.signature)
    declared = version.config["graph"]
    graph = read_declared(declared)
    steps = {step.role: step.member for step in version.steps.select_related("member__served_model")}
    answer = check_declared(declared, steps)
    return Member(version.key, version.runtime, version.signature, graph.accepts, answer, graph.parameters)
