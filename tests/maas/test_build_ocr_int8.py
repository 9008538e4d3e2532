"""Tests of `manage.py models build ocr-int8`, on small generated pages."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from PIL import Image

from inference.core.contracts import PageInput, Pixels
from inference.engine.engine import local_engine
from inference.factory.measures.located import located_edits, true_length
from inference.factory.report import VariantReport
from inference.models import ServedModel
from inference.registry.ocr_int8 import OCR_INT8, READ_INT8
from inference.registry.selectors import find_version, spec_of
from inference.registry.services import seed_builtin
from inference.registry.versions import delete_model
from tenants.core.db.unit_of_work import operator_work
from tests.benchmarks.documents import generate

PAGES = 8
FIRST_SEED = 970_000


def drawn(seed: int) -> Pixels:
    return generate(seed, kind="letter", dpi=100, font="DejaVu Sans").picture


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    seed_builtin()
    made = tmp_path_factory.mktemp("pages")
    pictures = [Image.fromarray(drawn(FIRST_SEED + number)) for number in range(PAGES)]
    for number, picture in enumerate(pictures[:4]):
        picture.save(made / f"letter {number}.png")
    pictures[4].save(made / "rest.pdf", resolution=100, save_all=True, append_images=pictures[5:])
    return made


@pytest.fixture(autouse=True)
def no_models_stay() -> Iterator[None]:
    yield
    for name in (OCR_INT8, READ_INT8):
        if is_registered(name):
            delete_model(owner=None, model=name)


def is_registered(name: str) -> bool:
    with operator_work():
        return ServedModel.objects.filter(tenant=None, name=name, deleted_at=None).exists()


def built(*arguments: object) -> str:
    written = StringIO()
    call_command("models", "build", OCR_INT8, *map(str, arguments), stdout=written, verbosity=0)
    return written.getvalue()


@pytest.mark.long
def test_the_model_is_built_and_reads_as_the_exact_one(folder: Path) -> None:
    written = built("--pages", folder)
    assert written.startswith("4 pages\t")
    ocr, read = (find_version(name, tenant_id=None) for name in (OCR_INT8, READ_INT8))
    assert written.endswith(f"{ocr.key} and its member {read.key} are current (new)\n")
    report = VariantReport.from_json(read.evaluation["gate"])
    assert report.verdict.admitted
    assert (report.golden.calibration_rows, report.golden.held_out_rows) == (4, 4)
    assert (report.source_sha256, report.variant_sha256) == (find_version("read", tenant_id=None).digest, read.digest)
    assert read.lineage["recognition"]["transformation"] == "static-int8"

    pixels = drawn(FIRST_SEED + PAGES)
    height, width = pixels.shape[:2]
    page = PageInput(1, width, height, text_lines=None, load_pixels=lambda: pixels)
    engine = local_engine()
    exact, fast = (
        [(line["text"], line["box"]) for line in engine.run(spec_of(version), page, {}).result["lines"]]
        for version in (find_version("ocr", tenant_id=None), ocr)
    )
    assert true_length(exact) > 300
    assert located_edits(exact, fast) <= 0.02 * true_length(exact)

    assert built("--pages", folder).endswith("(in the registry already, with the same networks)\n")


@pytest.mark.long
def test_networks_beyond_their_bound_are_refused_and_nothing_is_registered(folder: Path) -> None:
    with pytest.raises(CommandError, match=r"^ocr-int8 was refused: character_error_rate is .*Nothing was registered"):
        built("--pages", folder, "--max-errors", 0)
    assert not is_registered(OCR_INT8)
    assert not is_registered(READ_INT8)


def test_what_is_wrong_with_the_arguments_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^There is no folder "):
        built("--pages", tmp_path / "none")
    with pytest.raises(CommandError, match=r"is empty\. Put pictures and PDFs of pages into it\.$"):
        built("--pages", tmp_path)
    Image.new("RGB", (60, 40), "red").save(tmp_path / "a.png")
    with pytest.raises(CommandError, match=r"^Too few different pages can be read there: 1\. Give at least 8: "):
        built("--pages", tmp_path)
    with pytest.raises(CommandError, match=r"^--max-errors: .* must be from 0 to 1, not 2\.$"):
        built("--pages", tmp_path, "--max-errors", 2)
