"""Registration of declared pipelines: a pipeline is read, checked against its members and then stored."""

from collections.abc import Mapping
from dataclasses import dataclass

from inference.cache.terms import USUAL_TERMS, CacheTerms
from inference.core.contracts import Json
from inference.pipelines.operations.values import described
from inference.registry.declared import check_declared, read_declared
from inference.registry.errors import ModelNotFound, PipelineInvalid
from inference.registry.models import ModelVersion
from inference.registry.references import NAME
from inference.registry.selectors import find_version
from inference.registry.services import ModelCard, NewVersion, add_version
from inference.runtime.parameters import GRAPH
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.prices import Price


@dataclass(frozen=True)
class PipelineUpload:
    declared: Json
    members: Mapping[str, str]
    """The members by role: `name@number`, or a name, which means its current version."""
    name: str
    title: str
    description: str
    price: Price
    cached: CacheTerms = USUAL_TERMS
    review_price_micros: int | None = None
    reprice: bool = False
    retime: bool = False
    """`reprice` and `retime` apply the price and the retention of results to a model that already exists, too."""


def add_pipeline(upload: PipelineUpload, *, make_current: bool = True) -> ModelVersion:
    if not NAME.fullmatch(upload.name):
        raise PipelineInvalid(f"Invalid name {upload.name[:60]!r}. Use letters, digits, - and _.")
    graph = read_declared(upload.declared)
    steps = {role: _member(role, reference) for role, reference in upload.members.items()}
    answer = check_declared(upload.declared, steps)
    return add_version(
        card=ModelCard(
            name=upload.name,
            title=upload.title or upload.name,
            description=upload.description,
            accepts=graph.accepts,
            price=upload.price,
            cached=upload.cached,
            review_price_micros=upload.review_price_micros,
            parameters=graph.parameters_json(),
        ),
        new=NewVersion(
            runtime=GRAPH,
            files={},
            config={"graph": upload.declared},
            signature={**graph.signature(), "outputs": described(answer)},
            steps=steps,
        ),
        make_current=make_current,
        reprice=upload.reprice,
        retime=upload.retime,
    )


def _member(role: str, reference: str) -> ModelVersion:
    try:
        with operator_work():
            return find_version(reference, tenant_id=None)
    except ModelNotFound as error:
        raise PipelineInvalid(f"Member '{role}': {error.detail}") from error
