"""Tests the tables of docs/open-inference.md. tests/docs/test_examples.py runs its examples."""

import re

import pytest

from inference.gateway.exchange import LONGEST_S
from inference.gateway.open_inference.encodings import SMALLEST_BYTES
from inference.gateway.open_inference.faces import face_of
from inference.gateway.open_inference.grpc.wire import MAX_FIELDS, MAX_FIELDS_WITHIN
from inference.gateway.open_inference.paths import PATHS, Action, route_of
from inference.gateway.open_inference.statistics_store import KEPT_S
from inference.registry.builtin.catalog import BUILTIN
from inference.runtime.tensor_requests import NUMPY_TYPES
from inference.runtime.texts import MAX_TEXTS
from maas.web.errors.api_errors import GRPC_STATUS, status_of
from maas.web.errors.api_handler import status_at
from maas.web.grpc.calls import LONGEST_WRITE_S
from maas.web.grpc.message_flow import Bounds
from maas.web.grpc.port import WITH_MESSAGE, WITHOUT_MESSAGE
from maas.web.grpc.streams import AT_ONCE, IDLE_S, STREAMS, STREAMS_OF_ONE
from tests.docs.product import first_column, read

DOCUMENT = "docs/open-inference.md"


def test_every_path_is_described_with_its_method() -> None:
    described: set[Action] = set()
    for method, path in (name.split() for name in first_column(DOCUMENT) if " /v2" in name):
        route = route_of(path.replace("{name}", "embed"))
        assert route is not None, path
        assert route.method == method
        described.add(route.action)
    assert described | {"unload"} == {action for _method, action, _pattern in PATHS}


@pytest.mark.parametrize("row", ["embed", "parse", "ocr"])
def test_models_have_the_tensors_that_are_said(row: str) -> None:
    model = next(one for one in BUILTIN if one.name == row)
    face = face_of(model.runtime, model.accepts, model.signature)
    line = next(line for line in read(DOCUMENT).splitlines() if line.startswith(f"| `{row}`"))
    for tensor in (*face.inputs, *face.outputs):
        assert f"`{tensor.name}`: {tensor.datatype} {list(tensor.shape)}" in line
    assert len(re.findall(r"`\w+`: ", line)) == len(face.inputs) + len(face.outputs)


def test_types_and_limits_are_those_of_the_code() -> None:
    text = read(DOCUMENT)
    sentence = text.partition("**Types**: ")[2].partition(". BF16")[0]
    named = set(re.findall(r"\b(?:BOOL|BYTES|FP\d+|U?INT\d+)\b", sentence))
    assert named == set(NUMPY_TYPES) - {f"{sign}INT{bits}" for sign in ("", "U") for bits in (16, 32)}
    assert f"up to {MAX_TEXTS} texts" in text
    assert f"{LONGEST_S:g} s." in text
    assert f"beyond {SMALLEST_BYTES // 1024} KiB" in text
    assert f"{KEPT_S // 86_400} days after" in text


def test_codes_have_the_status_that_the_page_says() -> None:
    rows = re.findall(r"^\| (\d{3}) \|(.*?)\|", read(DOCUMENT), re.MULTILINE)
    said = {code: int(status) for status, codes in rows for code in re.findall(r"`(\w+)`", codes)}
    assert said == {code: status_at("/v2/models", status_of(code)) for code in said}
    assert len(said) >= 8


def test_every_method_of_grpc_is_described() -> None:
    cells = re.findall(r"^\| (`[^|]*)\|", read(DOCUMENT).partition("## Over gRPC")[2], re.MULTILINE)
    described = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert {*WITH_MESSAGE, *WITHOUT_MESSAGE, "ModelStreamInfer"} <= described


def test_statuses_of_grpc_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([^|]*) \|$", read(DOCUMENT), re.MULTILINE)
    said = {int(status): name for name, statuses in rows for status in re.findall(r"\d{3}", statuses)}
    assert said == GRPC_STATUS


def test_bounds_of_grpc_are_those_of_the_code() -> None:
    text = " ".join(read(DOCUMENT).partition("## Over gRPC")[2].split())
    assert f"at most {MAX_FIELDS} fields, and an input or output {MAX_FIELDS_WITHIN}." in text
    bounds = Bounds()
    assert f"{bounds.reading_of_one} messages are read at a time" in text
    assert f"up to {bounds.waiting_of_one:,} wait in turn" in text
    assert f"not whole after {bounds.undisturbed_s:g} s" in text
    assert f"have {AT_ONCE} messages under way" in text
    assert IDLE_S == 5 * 60
    assert "no message for five minutes" in text
    assert f"taken, which it must be within {LONGEST_WRITE_S:g} s" in text
    assert f"{STREAMS_OF_ONE} streams of one tenant open, and {STREAMS} in all" in text
