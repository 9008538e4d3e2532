"""Test the published `tritonclient`, unmodified, with the product and its worker."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import tritonclient.http as triton
from tritonclient.http import InferenceServerClient as Client
from tritonclient.utils import InferenceServerException

from tests.flows.product import Account, Product
from tests.inference.gateway.open_inference.asking import Array, WithKey, given, rows, texts
from tests.waiting import eventually


def test_health_is_open_to_everyone(anyone: Client) -> None:
    assert anyone.is_server_live()
    assert anyone.is_server_ready()


def test_everything_else_wants_a_key(anyone: Client) -> None:
    for ask in (anyone.get_server_metadata, anyone.get_model_repository_index):
        with pytest.raises(InferenceServerException) as refused:
            ask()
        assert refused.value.status() == "401"


def test_the_server_names_the_extensions_that_it_has(client: Client) -> None:
    said = client.get_server_metadata()
    assert said["name"] == "maas"
    assert {"binary_tensor_data", "model_configuration", "model_repository"} <= set(said["extensions"])


def test_a_model_describes_itself(client: Client, adder: str) -> None:
    said = client.get_model_metadata(adder)
    assert (said["name"], said["versions"], said["platform"]) == (adder, ["1", "2"], "onnxruntime_onnx")
    assert said["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]
    second = client.get_model_metadata(adder, "2")
    assert (second["versions"], second["inputs"][0]["shape"]) == (["2"], [-1, 2])
    configured = client.get_model_config(adder)
    assert configured["input"] == [{"name": "x", "data_type": "TYPE_FP32", "dims": [-1, 4]}]


def test_readiness_is_of_models_and_versions_that_there_are(client: Client, adder: str) -> None:
    assert client.is_model_ready(adder)
    assert client.is_model_ready(adder, "2")
    assert not client.is_model_ready(adder, "3")
    assert not client.is_model_ready("nothing")


def test_a_paused_model_is_not_ready_and_says_so(client: Client, adder: str, product: Product) -> None:
    def entry() -> dict[str, Any]:
        index = client.get_model_repository_index()
        return next(one for one in index if one["name"] == adder)

    assert (entry()["version"], entry()["state"]) == ("1", "READY")
    assert product.manage("models", "pause", adder).returncode == 0
    try:
        eventually(lambda: entry()["state"] == "UNAVAILABLE", "the pause holds in the index")
        assert entry()["reason"] == "paused by the operator"
        eventually(lambda: not client.is_model_ready(adder), "the pause holds")
        with pytest.raises(InferenceServerException, match="paused by the operator") as refused:
            client.infer(adder, [given("x", rows())])
        assert refused.value.status() == "409"
    finally:
        assert product.manage("models", "resume", adder).returncode == 0
    eventually(lambda: client.is_model_ready(adder), "it is ready again")


@pytest.mark.parametrize("sent_binary", [True, False])
@pytest.mark.parametrize("got_binary", [True, False])
def test_tensors_travel_as_bytes_or_as_json_either_way(
    client: Client, adder: str, sent_binary: bool, got_binary: bool
) -> None:
    answer = client.infer(
        adder,
        [given("x", rows(), binary=sent_binary)],
        outputs=[triton.InferRequestedOutput("y", binary_data=got_binary)],
        request_id="seven",
    )
    np.testing.assert_array_equal(answer.as_numpy("y"), rows() + 1)
    said = answer.get_response()
    assert (said["id"], said["model_name"], said["model_version"]) == ("seven", adder, "1")
    assert ("data" in said["outputs"][0]) != got_binary


def test_all_outputs_come_as_bytes_where_none_is_named(client: Client, adder: str) -> None:
    answer = client.infer(adder, [given("x", rows(3))])
    np.testing.assert_array_equal(answer.as_numpy("y"), rows(3) + 1)
    assert answer.get_response()["outputs"][0]["parameters"] == {"binary_data_size": 48}
    assert "id" not in answer.get_response()


def test_a_version_may_be_named(client: Client, adder: str) -> None:
    answer = client.infer(adder, [given("x", rows(2, 2))], model_version="2")
    np.testing.assert_array_equal(answer.as_numpy("y"), rows(2, 2) + 1)
    assert answer.get_response()["model_version"] == "2"


MIRRORED: Mapping[str, Array] = {
    "BOOL": np.array([True, False]),
    **{
        f"{sign}INT{bits}": np.array([np.iinfo(f"{sign.lower()}int{bits}").min, 7], f"{sign.lower()}int{bits}")
        for sign in ("", "U")
        for bits in (8, 16, 32, 64)
    },
    "FP16": np.array([1.5, -2], np.float16),
    "FP32": np.array([np.pi, -0.0, 1e-40], np.float32),
    "FP64": np.array([np.pi, 1e300], np.float64),
    "BYTES": texts("ä", "", "漢字 🙂"),
    "scalar": np.array(2.5, np.float32),
}


@pytest.mark.parametrize("binary", [True, False])
def test_every_type_comes_back_as_it_went(client: Client, mirror: str, binary: bool) -> None:
    # The client itself refuses FP16 in JSON.
    inputs = [given(name, one, binary=binary or name == "FP16") for name, one in MIRRORED.items()]
    outputs = [triton.InferRequestedOutput(f"{name}_back", binary_data=binary or name == "FP16") for name in MIRRORED]
    answer = client.infer(mirror, inputs, outputs=outputs)
    for name, sent in MIRRORED.items():
        got = answer.as_numpy(f"{name}_back")
        if name == "BYTES" and binary:
            got = np.array([one.decode() for one in got], object)
        assert got.shape == sent.shape
        np.testing.assert_array_equal(got, sent)


def test_empty_tensors_and_values_that_json_cannot_say_travel_as_bytes(client: Client, mirror: str) -> None:
    odd = {
        **MIRRORED,
        "INT8": np.empty(0, np.int8),
        "BYTES": texts(),
        "FP32": np.array([np.nan, np.inf], "f4"),
    }
    inputs = [given(name, one) for name, one in odd.items()]
    answer = client.infer(mirror, inputs)
    for name in ("INT8", "BYTES", "FP32"):
        np.testing.assert_array_equal(answer.as_numpy(f"{name}_back"), odd[name])
    wanted = [triton.InferRequestedOutput("FP32_back", binary_data=False)]
    with pytest.raises(InferenceServerException, match="Ask for it as bytes"):
        client.infer(mirror, inputs, outputs=wanted)


@pytest.mark.parametrize("sent", [None, "gzip", "deflate"])
@pytest.mark.parametrize("got", [None, "gzip", "deflate"])
def test_bodies_travel_compressed_where_the_client_wants_it(
    client: Client, adder: str, sent: str | None, got: str | None
) -> None:
    answer = client.infer(
        adder,
        [given("x", rows(500))],
        request_compression_algorithm=sent,
        response_compression_algorithm=got,
    )
    np.testing.assert_array_equal(answer.as_numpy("y"), rows(500) + 1)


def test_texts_become_embeddings(client: Client) -> None:
    said = client.get_model_metadata("embed")
    assert said["outputs"] == [{"name": "embedding", "datatype": "FP32", "shape": [-1, 384]}]
    answer = client.infer("embed", [given("text", texts("an invoice", "Grüße", "a cat"))])
    vectors = answer.as_numpy("embedding")
    assert (vectors.shape, vectors.dtype) == ((3, 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = client.infer("embed", [given("text", texts("Grüße"), binary=False)])
    np.testing.assert_allclose(alone.as_numpy("embedding")[0], vectors[1], atol=1e-6)


def test_other_models_of_text_answer_in_json_and_take_their_own_parameters(client: Client) -> None:
    def result(**parameters: Any) -> dict[str, Any]:
        asked = [given("text", texts("Invoice no. 7 of 3 May 2026: net 84.03, VAT 19 % 15.97, total due 100.00 EUR"))]
        answer = client.infer("parse", asked, parameters=parameters)
        found: dict[str, Any] = json.loads(answer.as_numpy("result")[0])
        return found

    assert result()["class"]["label"] == "invoice"
    assert "embedding" in result(include_embedding=True)
    assert "embedding" not in result(include_embedding=False)


def test_a_model_of_documents_names_the_way_for_them(client: Client) -> None:
    assert client.get_model_metadata("ocr")["inputs"] == []
    with pytest.raises(InferenceServerException, match="POST /v1/jobs") as refused:
        client.infer("ocr", [given("x", rows())])
    assert refused.value.status() == "400"


def test_a_megabyte_goes_there_and_back(client: Client, adder: str) -> None:
    answer = client.infer(adder, [given("x", rows(65_536))])
    np.testing.assert_array_equal(answer.as_numpy("y"), rows(65_536) + 1)


def test_calls_may_wait_side_by_side(address: str, account: Account, adder: str) -> None:
    with Client(address, concurrency=4) as client:
        client.register_plugin(WithKey(account.key))
        asked = [client.async_infer(adder, [given("x", rows(1) * number)]) for number in range(12)]
        for number, waiting in enumerate(asked):
            np.testing.assert_array_equal(waiting.get_result().as_numpy("y"), rows(1) * number + 1)


@pytest.mark.parametrize(
    ("refusal", "changes"),
    [
        (("404", "There is no model 'nothing'"), {"model_name": "nothing"}),
        (("404", "There is no model"), {"model_version": "9"}),
        (("404", "There is no model"), {"model_version": "first"}),
        (("400", "no output 'z'; it has y"), {"outputs": [triton.InferRequestedOutput("z")]}),
        (("400", "classification"), {"outputs": [triton.InferRequestedOutput("y", class_count=3)]}),
        (("400", "Sequences are not supported"), {"sequence_id": 7, "sequence_start": True}),
        (
            ("504", "within 1e-06 s|too late|deadline"),
            {"timeout": 1, "inputs": [given("x", rows() + np.float32(0.5))]},
        ),
        (("400", "unknown parameter 'color'"), {"parameters": {"color": "red"}}),
        (("400", r"must have shape \[-1, 4\], not \[2, 3\]"), {"inputs": [given("x", rows(2, 3))]}),
        (("400", "expected the tensors"), {"inputs": [given("z", rows())]}),
        (("400", "must be FP32, not FP64"), {"inputs": [given("x", np.zeros((1, 4)))]}),
    ],
)
def test_refusals_say_what_was_wrong(
    client: Client, adder: str, refusal: tuple[str, str], changes: dict[str, Any]
) -> None:
    status, words = refusal
    asked = {"model_name": adder, "inputs": [given("x", rows())], **changes}
    with pytest.raises(InferenceServerException, match=words) as refused:
        client.infer(**asked)
    assert refused.value.status() == status


def test_statistics_are_of_the_tenants_own_calls_by_version(
    client: Client, address: str, product: Product, adder: str
) -> None:
    own = product.create_account("Counted")
    with Client(address) as newcomer:
        newcomer.register_plugin(WithKey(own.key))
        for _ in range(3):
            newcomer.infer(adder, [given("x", rows())])
        with pytest.raises(InferenceServerException):
            newcomer.infer(adder, [given("x", rows(1, 3))])
        first, second = newcomer.get_inference_statistics(adder)["model_stats"]
        assert (first["version"], second["version"], second["inference_count"]) == ("1", "2", 0)
        known = first["inference_stats"]
        assert first["inference_count"] == known["success"]["count"] == known["queue"]["count"] == 3
        assert known["fail"]["count"] == 1
        assert 0 < known["compute_infer"]["ns"] < known["success"]["ns"]
        everything = newcomer.get_inference_statistics()["model_stats"]
        assert sum(one["inference_count"] for one in everything) == 3
        assert {"embed", "ocr", "parse", adder} <= {one["name"] for one in everything}
    with pytest.raises(InferenceServerException) as refused:
        client.get_inference_statistics("nothing")
    assert refused.value.status() == "404"


def test_what_is_the_operators_is_refused(client: Client, adder: str) -> None:
    for action in (client.load_model, client.unload_model):
        with pytest.raises(InferenceServerException, match="operator's choice"):
            action(adder)


def test_shared_memory_is_refused(client: Client, adder: str) -> None:
    one = triton.InferInput("x", [2, 4], "FP32")
    one.set_shared_memory("region", 32)
    with pytest.raises(InferenceServerException, match="Shared memory"):
        client.infer(adder, [one])
    with pytest.raises(InferenceServerException) as refused:
        client.register_system_shared_memory("region", "/key", 32)
    assert refused.value.status() == "404"
