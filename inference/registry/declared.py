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


def read_declared(declared: Json) -> Graph:
    try:
        return read_graph(declared)
    except GraphInvalid as error:
        raise PipelineInvalid(f"Invalid pipeline: {error}.") from error


def check_declared(declared: Json, members: Mapping[str, ModelVersion]) -> ValueType:
    """Check a declared pipeline and return the type of its answer."""
    roles = {role: Member(version.key, version.runtime, version.signature) for role, version in members.items()}
    try:
        return check_graph(read_declared(declared), roles)
    except GraphInvalid as error:
        raise PipelineInvalid(f"Invalid pipeline: {error}.") from error
