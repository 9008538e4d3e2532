"""Checks that the steps of a declared pipeline fit its members, before the pipeline is registered."""

from collections.abc import Mapping

from inference.core.contracts import Json
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
        return check_graph(read_declared(declared), {role: _member(version) for role, version in members.items()})
    except GraphInvalid as error:
        raise PipelineInvalid(f"Invalid pipeline: {error}.") from error


def _member(version: ModelVersion) -> Member:
    if version.runtime != GRAPH:
        return Member(version.key, version.runtime, version.signature)
    declared = version.config["graph"]
    graph = read_declared(declared)
    steps = {step.role: step.member for step in version.steps.select_related("member__served_model")}
    answer = check_declared(declared, steps)
    return Member(version.key, version.runtime, version.signature, graph.accepts, answer, graph.parameters)
