"""A model as its card in the catalog and as the head of its own page. This module makes no queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from django.utils.safestring import SafeString

from inference.core.contracts import Json
from inference.registry.models import ModelVersion, ServedModel
from inference.runtime.parameters import DOCUMENT, EVERY_KIND, documents_of, kinds_in_words
from jobs.dashboard.base.wording import example_cost, price_words, repeat_words
from jobs.dashboard.catalog.description import description_html
from jobs.dashboard.catalog.selectors import Speed
from tenants.core.durations import duration
from tenants.plans.agreed import AgreedPrice, AgreedPrices


@dataclass(frozen=True)
class Answer:
    key: str
    meaning: str


@dataclass(frozen=True)
class Kind:
    summary: str
    answers: tuple[Answer, ...]


_TEXT = Answer("text", "the recognized text, line by line")
_LINES = Answer("lines", "each line with its text, its four corners on the page and its confidence")
_SIZE = Answer("width, height", "of the page image, in pixels")

_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "ocr": Kind("Text and lines with boxes", (_TEXT, _LINES, _SIZE)),
        "embed": Kind(
            "Vectors",
            (
                Answer("embedding", "of a text or page: a vector of length 1"),
                Answer("embeddings", "of several texts: a vector for each, in the same order"),
                Answer("dimensions", "the number of values in a vector"),
                Answer("tokens", "the number of tokens that were read and are charged"),
                Answer("truncated", "whether the text was too long and was cut; for several texts, which texts"),
            ),
        ),
        "parse": Kind(
            "Text, lines and document type",
            (
                _TEXT,
                _LINES,
                _SIZE,
                Answer("source", "the origin of the text: text_layer, ocr, mixed, text or document"),
                Answer("class", "the document type, its confidence, and the score of every type"),
                Answer("embedding", "a vector of the page's text; not for blank pages"),
            ),
        ),
        "onnx": Kind("Tensors", (Answer("outputs", "each with name, shape, datatype and data, row by row"),)),
    }
)


def kind_of(runtime: str, signature: Mapping[str, Json]) -> Kind:
    """Return the kind of a runtime. The kind of an unknown runtime is taken from the signature."""
    if runtime in _KINDS:
        return _KINDS[runtime]
    names = tuple(Answer(str(output["name"]), str(output["datatype"])) for output in signature.get("outputs", ()))
    return Kind(", ".join(answer.key for answer in names) or "See the signature", names)


def shown_key(runtime: str, input_kind: str) -> str:
    """Return the key of the result that a program needs."""
    if runtime == "embed":
        return "embeddings" if input_kind == "texts" else "embedding"
    return "outputs" if input_kind == "tensors" else "text"


_TAKEN = {"document": "documents", "text": "a text", "texts": "several texts at once", "tensors": "tensors"}


@dataclass(frozen=True)
class SpeedView:
    median: str
    p95: str
    pages: int
    unit: str


@dataclass(frozen=True)
class TensorView:
    name: str
    datatype: str
    shape: str


@dataclass(frozen=True)
class ModelView:
    name: str
    title: str
    description: SafeString
    paused: bool
    owned: bool
    """Set if it belongs to the account that looks at it."""
    version: ModelVersion
    takes: str
    gives: str
    answers: tuple[Answer, ...]
    inputs: tuple[TensorView, ...]
    outputs: tuple[TensorView, ...]
    price: str
    example_cost: str
    cached_price: str
    """The price of a cached page. It is empty if it equals the price itself, or if no results are cached."""
    review_price: str
    """The price of a page that a person must check. It is empty if it equals the price itself."""
    speed: SpeedView | None

    @property
    def of_tensors(self) -> bool:
        """Return whether it takes tensors. Callers follow its signature; that of other models says how pages go in."""
        return self.takes == _TAKEN["tensors"]


@dataclass(frozen=True)
class VersionRow:
    number: int
    digest: str
    state: str
    since: datetime
    current: bool


def model_view(
    served: ServedModel, speed: Speed | None, prices: AgreedPrices, version: ModelVersion | None = None
) -> ModelView:
    """Describe a model by its current version, or by another one."""
    version = version or current_of(served)
    kind = kind_of(version.runtime, version.signature)
    agreed = prices.of_model(served.name, served.price, served.cached_price, served.review_price)
    return ModelView(
        name=served.name,
        title=served.title or served.name,
        description=description_html(served.description),
        paused=served.state != ServedModel.State.ACTIVE,
        owned=served.tenant_id is not None,
        version=version,
        takes=takes_in_words(served.accepts, documents_of(version.runtime, version.config)),
        gives=kind.summary,
        answers=kind.answers,
        inputs=tensors_of(version.signature, "inputs"),
        outputs=tensors_of(version.signature, "outputs"),
        price=price_words(agreed.price),
        example_cost=example_cost(agreed.price),
        cached_price=_cached_price(served, agreed),
        review_price=repeat_words(agreed.price_of_review) if agreed.price_of_review != agreed.price else "",
        speed=_speed_view(speed, "page" if served.price_meter == "page" else "run") if speed else None,
    )


def _cached_price(served: ServedModel, agreed: AgreedPrice) -> str:
    differs = served.cache_ttl_s > 0 and agreed.cached_price != agreed.price
    return repeat_words(agreed.cached_price) if differs else ""


def current_of(served: ServedModel) -> ModelVersion:
    assert served.current is not None, "models without a current version are not shown"
    return served.current


def version_row(version: ModelVersion, served: ServedModel) -> VersionRow:
    return VersionRow(
        number=version.number,
        digest=version.digest[:12],
        state="served" if version.state == ModelVersion.State.READY else version.state,
        since=version.created_at,
        current=version.pk == served.current_id,
    )


def takes_in_words(accepts: list[str], documents: Sequence[str]) -> str:
    """Return the kinds of input in words. Name the kinds of document if the model does not read all of them."""
    some = "" if set(documents) == set(EVERY_KIND) or not documents else f" ({kinds_in_words(documents)})"
    titles = [_TAKEN.get(kind, kind) + (some if kind == DOCUMENT else "") for kind in accepts]
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} or {titles[-1]}"


def _speed_view(speed: Speed, unit: str) -> SpeedView:
    return SpeedView(duration(speed.median_s), duration(speed.p95_s), speed.pages, unit)


def tensors_of(signature: Mapping[str, Json], direction: str) -> tuple[TensorView, ...]:
    return tuple(
        TensorView(str(tensor["name"]), str(tensor["datatype"]), _shape(tensor["shape"]))
        for tensor in signature.get(direction, ())
    )


def _shape(sizes: list[int] | None) -> str:
    """Return a shape in words. The file of a model may leave that of an output open."""
    if sizes is None:
        return "any shape"
    return " × ".join("any" if size < 0 else str(size) for size in sizes) or "one value"
