import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from inference.cache.terms import CACHE_TTL_S
from inference.core.contracts import Json
from inference.engine.engine import local_engine
from inference.registry.errors import ModelTypeMismatch, PipelineInvalid
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.onnx_files import OnnxUpload, add_onnx_file
from inference.registry.pipelines import PipelineUpload, add_pipeline
from inference.registry.selectors import spec_of
from inference.registry.services import ModelCard, NewVersion, add_version
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.prices import Price
from tests.fixtures import unique
from tests.inference.pipelines.declarations import CLASSIFIER, changed, save_colors
from tests.inference.pipelines.test_pipeline import solid

FREE = Price(meter="page", amount_micros=0, per=1, currency="EUR")


@pytest.fixture(scope="module")
def colors(tmp_path_factory: pytest.TempPathFactory) -> ModelVersion:
    file = save_colors(tmp_path_factory.mktemp("colors") / "colors.onnx")
    return add_onnx_file(OnnxUpload(file, unique("colors"), "", "", FREE))


def upload(name: str, member: str, declared: Json = CLASSIFIER, role: str = "colors") -> PipelineUpload:
    return PipelineUpload(declared, {role: member}, name, "", "", FREE)


def test_declared_pipeline_is_served_with_its_members(colors: ModelVersion) -> None:
    version = add_pipeline(upload(unique("classify"), colors.key))
    assert version.served_model.accepts == ["document"]
    assert [one["name"] for one in version.signature["outputs"]] == ["label", "score", "top"]
    with operator_work():
        spec = spec_of(version)
    engine = local_engine()
    assert engine.run(spec, solid(255, 0, 0), {}).result["label"] == "red"
    assert engine.session_paths(spec) == engine.session_paths(spec.steps["colors"])


def test_same_declaration_and_members_are_the_same_version(colors: ModelVersion) -> None:
    name = unique("classify")
    first = add_pipeline(upload(name, colors.key))
    assert add_pipeline(upload(name, colors.key)) == first
    other = changed(CLASSIFIER, lambda declared: declared["steps"][3]["parameters"].update(most=1))
    assert add_pipeline(upload(name, colors.key, other)).number == 2


def test_pipeline_that_does_not_fit_its_members_is_refused_before_anything_is_kept(
    colors: ModelVersion,
) -> None:
    name = unique("classify")
    smaller = changed(CLASSIFIER, lambda declared: declared["steps"][0]["parameters"].update(width=4))
    with pytest.raises(PipelineInvalid, match="step 'scores': 'pixels' must be FP32 tensor of shape"):
        add_pipeline(upload(name, colors.key, smaller))
    with operator_work():
        assert not ModelVersion.objects.filter(served_model__name=name).exists()


def test_registry_itself_refuses_what_comes_by_another_way(colors: ModelVersion) -> None:
    card = ModelCard(unique("classify"), "", "", ("document",), FREE)
    new = NewVersion("graph", {}, config={"graph": CLASSIFIER}, steps={"color": colors})
    with pytest.raises(PipelineInvalid, match="no member has the role 'colors'; members: 'color'"):
        add_version(card=card, new=new)


def test_unknown_member_is_named(colors: ModelVersion) -> None:
    with pytest.raises(PipelineInvalid, match="Member 'colors': There is no model 'nobody@7'"):
        add_pipeline(upload(unique("classify"), "nobody@7"))


def test_name_that_means_something_else_is_refused(colors: ModelVersion) -> None:
    with pytest.raises(ModelTypeMismatch, match="accepts tensors; this file accepts document"):
        add_pipeline(upload(colors.served_model.name, colors.key))


def add_graph(*arguments: str) -> str:
    out = StringIO()
    call_command("models", "add-graph", *arguments, stdout=out)
    return out.getvalue()


def test_command_adds_a_pipeline_from_a_file(colors: ModelVersion, tmp_path: Path) -> None:
    file, name = tmp_path / "graph.json", unique("classify")
    file.write_text(json.dumps(CLASSIFIER))
    said = add_graph(str(file), "--name", name, "--member", f"colors={colors.key}", "--price-micros", "5")
    assert said.startswith(f"{name}@1 is in the registry")


def test_a_model_that_is_there_keeps_its_results_as_long_as_before_unless_told(
    colors: ModelVersion, tmp_path: Path
) -> None:
    file, name = tmp_path / "graph.json", unique("classify")
    file.write_text(json.dumps(CLASSIFIER))
    kept_s = []
    for told in ((), ("--cache-ttl-s", "60"), (), ("--cache-ttl-s", "0")):
        add_graph(str(file), "--name", name, "--member", f"colors={colors.key}", *told)
        with operator_work():
            kept_s.append(ServedModel.objects.get(name=name).cache_ttl_s)
    assert kept_s == [CACHE_TTL_S, 60, 60, 0]


def test_command_sets_the_price_of_pages_to_check_with_the_price(colors: ModelVersion, tmp_path: Path) -> None:
    file, name = tmp_path / "graph.json", unique("classify")
    file.write_text(json.dumps(CLASSIFIER))
    prices = []
    for options in ((), ("--price-micros", "9", "--review-price-micros", "0"), (), ("--price-micros", "9")):
        add_graph(str(file), "--name", name, "--member", f"colors={colors.key}", *options)
        with operator_work():
            prices.append(ServedModel.objects.get(name=name).review_price_micros)
    assert prices == [None, 0, 0, None]
    with pytest.raises(CommandError, match="--review-price-micros -1 is negative"):
        add_graph(str(file), "--name", name, "--member", f"colors={colors.key}", "--review-price-micros", "-1")


@pytest.mark.parametrize(
    ("content", "members", "words"),
    [
        (None, [], "graph.json cannot be read: No such file"),
        ("{", [], "graph.json is not JSON"),
        ("[" * 100_000, [], "graph.json is not JSON"),
        (" " * 3_000_000, [], "is larger than"),
        ("{}", ["colors"], "--member 'colors' is invalid. Use role=model@version"),
        ("{}", ["a=b", "a=c"], "--member sets the role 'a' twice"),
        ("{}", [], "`accepts` must be a list"),
    ],
)
def test_command_says_what_is_wrong(content: str | None, members: list[str], words: str, tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    if content is not None:
        file.write_text(content)
    given = [word for member in members for word in ("--member", member)]
    with pytest.raises(CommandError) as refusal:
        add_graph(str(file), "--name", "x", *given)
    assert "pipeline_invalid: " in str(refusal.value)
    assert words in str(refusal.value)
