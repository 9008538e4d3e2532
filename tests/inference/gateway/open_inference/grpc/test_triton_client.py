"""Test the published client over gRPC, unmodified, with the product and its worker."""

import json
from typing import Any

import grpc
import httpx
import numpy as np
import pytest
import tritonclient.grpc as triton
import tritonclient.http as over_http
from tritonclient.grpc import InferenceServerClient as Client
from tritonclient.grpc import service_pb2
from tritonclient.utils import InferenceServerException

from inference.gateway.gateway import GRPC_PREFIX
from maas.web.grpc.port import NOT_HERE, WITH_MESSAGE, WITHOUT_MESSAGE
from tests.flows.product import Account, Product
from tests.inference.gateway.open_inference import asking
from tests.inference.gateway.open_inference.asking import rows, texts
from tests.inference.gateway.open_inference.grpc.asking import given
from tests.inference.gateway.open_inference.grpc.conftest import WithKey
from tests.inference.gateway.open_inference.test_triton_client import MIRRORED
from tests.waiting import eventually


def test_health_is_open_to_everyone(nobody: Client) -> None:
    assert nobody.is_server_live()
    assert nobody.is_server_ready()


@pytest.mark.parametrize(
    ("headers", "words"), [({}, "Send your key"), ({"authorization": "Bearer maas_live_x"}, "not an API key")]
)
def test_everything_else_wants_a_key(nobody: Client, headers: dict[str, str], words: str) -> None:
    for ask in (nobody.get_server_metadata, nobody.get_model_repository_index):
        with pytest.raises(InferenceServerException, match=words) as refused:
            ask(headers=headers)
        assert refused.value.status() == "StatusCode.UNAUTHENTICATED"
    with pytest.raises(InferenceServerException, match=words) as refused:
        nobody.infer("embed", [given("text", texts("a"))], headers=headers)
    assert refused.value.status() == "StatusCode.UNAUTHENTICATED"


def test_server_and_models_describe_themselves_as_over_http(
    over_grpc: Client, client: over_http.InferenceServerClient, adder: str
) -> None:
    """In JSON, 64-bit numbers are strings and empty values are left out, so both sides are normalized."""

    def shown(said: Any) -> Any:
        match said:
            case dict():
                return {name: shown(value) for name, value in said.items() if value not in ([], 0, {})}
            case list():
                return [shown(one) for one in said]
        return said if isinstance(said, bool) else str(said)

    assert shown(over_grpc.get_server_metadata(as_json=True)) == shown(client.get_server_metadata())
    for model, version in ((adder, ""), (adder, "2"), ("embed", ""), ("ocr", "")):
        described = over_grpc.get_model_metadata(model, version, as_json=True)
        assert shown(described) == shown(client.get_model_metadata(model, version))
        configured = over_grpc.get_model_config(model, version, as_json=True)["config"]
        assert shown(configured) == shown(client.get_model_config(model, version))
    index = over_grpc.get_model_repository_index(as_json=True)["models"]
    assert shown(index) == shown(client.get_model_repository_index())


def test_readiness_is_of_models_and_versions_that_there_are(over_grpc: Client, adder: str) -> None:
    assert over_grpc.is_model_ready(adder)
    assert over_grpc.is_model_ready(adder, "2")
    assert not over_grpc.is_model_ready(adder, "3")
    assert not over_grpc.is_model_ready("nothing")


def test_a_paused_model_is_not_ready_and_says_so(over_grpc: Client, adder: str, product: Product) -> None:
    assert product.manage("models", "pause", adder).returncode == 0
    try:
        eventually(lambda: not over_grpc.is_model_ready(adder), "the pause holds")
        with pytest.raises(InferenceServerException, match="paused by the operator") as refused:
            over_grpc.infer(adder, [given("x", rows())])
        assert refused.value.status() == "StatusCode.FAILED_PRECONDITION"
    finally:
        assert product.manage("models", "resume", adder).returncode == 0
    eventually(lambda: over_grpc.is_model_ready(adder), "it is ready again")


def test_every_type_comes_back_as_it_went_and_as_over_http(
    over_grpc: Client, client: over_http.InferenceServerClient, mirror: str
) -> None:
    sent = {**MIRRORED, "FP32": np.array([np.nan, np.inf], np.float32), "INT8": np.empty(0, np.int8)}
    answer = over_grpc.infer(mirror, [given(name, one) for name, one in sent.items()])
    same = client.infer(mirror, [asking.given(name, one) for name, one in sent.items()])
    for name, value in sent.items():
        got, over = answer.as_numpy(f"{name}_back"), same.as_numpy(f"{name}_back")
        assert (got.shape, got.dtype) == (value.shape, value.dtype)
        if name == "BYTES":
            assert [one.decode() for one in got] == value.tolist()
        else:
            np.testing.assert_array_equal(got, value)
            assert got.tobytes() == over.tobytes()


def test_values_may_be_written_one_by_one(grpc_address: str, account: Account, adder: str) -> None:
    tensor = service_pb2.ModelInferRequest.InferInputTensor(name="x", datatype="FP32", shape=[1, 4])
    tensor.contents.fp32_contents.extend([1, 2, 3, 4])
    request = service_pb2.ModelInferRequest(model_name=adder, id="7", inputs=[tensor])
    with grpc.insecure_channel(grpc_address) as channel:
        infer = channel.unary_unary(
            f"{GRPC_PREFIX}ModelInfer",
            request_serializer=service_pb2.ModelInferRequest.SerializeToString,
            response_deserializer=service_pb2.ModelInferResponse.FromString,
        )
        answer, call = infer.with_call(request, metadata=(("authorization", f"Bearer {account.key}"),))
    assert np.frombuffer(answer.raw_output_contents[0], np.float32).tolist() == [2, 3, 4, 5]
    assert (answer.id, answer.model_version) == ("7", "1")
    assert {"x-request-id", "server-timing"} <= {name for name, _ in call.trailing_metadata()}


def test_a_version_and_outputs_may_be_named(over_grpc: Client, adder: str) -> None:
    wanted = [triton.InferRequestedOutput("y")]
    answer = over_grpc.infer(adder, [given("x", rows(2, 2))], model_version="2", outputs=wanted, request_id="seven")
    np.testing.assert_array_equal(answer.as_numpy("y"), rows(2, 2) + 1)
    assert (answer.get_response().id, answer.get_response().model_version) == ("seven", "2")


@pytest.mark.parametrize("algorithm", ["gzip", "deflate"])
def test_messages_travel_compressed_where_the_client_wants_it(over_grpc: Client, adder: str, algorithm: str) -> None:
    answer = over_grpc.infer(adder, [given("x", rows(500))], compression_algorithm=algorithm)
    np.testing.assert_array_equal(answer.as_numpy("y"), rows(500) + 1)


def test_texts_become_embeddings(over_grpc: Client, client: over_http.InferenceServerClient) -> None:
    alone = over_grpc.infer("embed", [given("text", texts("Grüße"))]).as_numpy("embedding")
    assert alone.shape == (1, 384)
    same = client.infer("embed", [asking.given("text", texts("Grüße"))]).as_numpy("embedding")
    np.testing.assert_allclose(alone, same, atol=1e-6)


def test_other_models_of_text_answer_in_json_and_take_their_own_parameters(over_grpc: Client) -> None:
    asked = [
        given(
            "text",
            texts("Invoice no. 7, invoice date 3 May 2026. Net 84.03 EUR, VAT 19 % 15.97 EUR, total due 100.00 EUR."),
        )
    ]
    answer = over_grpc.infer("parse", asked, parameters={"include_embedding": True})
    found = json.loads(answer.as_numpy("result")[0])
    assert found["class"]["label"] == "invoice"
    assert "embedding" in found


def test_four_megabytes_go_there_and_back(over_grpc: Client, adder: str) -> None:
    answer = over_grpc.infer(adder, [given("x", rows(262_144))])
    np.testing.assert_array_equal(answer.as_numpy("y"), rows(262_144) + 1)


@pytest.mark.parametrize(
    ("refusal", "changes"),
    [
        (("NOT_FOUND", "There is no model 'nothing'"), {"model_name": "nothing"}),
        (("NOT_FOUND", "There is no model"), {"model_version": "9"}),
        (("NOT_FOUND", "There is no model"), {"model_version": "first"}),
        (("INVALID_ARGUMENT", "no output 'z'; it has y"), {"outputs": [triton.InferRequestedOutput("z")]}),
        (
            ("INVALID_ARGUMENT", "classification"),
            {"outputs": [triton.InferRequestedOutput("y", class_count=3)]},
        ),
        (("INVALID_ARGUMENT", "Sequences are not"), {"sequence_id": 7, "sequence_start": True}),
        # No other test sends these rows, because cached results would be answered in no time.
        (
            ("DEADLINE_EXCEEDED", "within 1e-06 s|too late|deadline"),
            {"timeout": 1, "inputs": [given("x", rows(7) * 4711)]},
        ),
        (("INVALID_ARGUMENT", "unknown parameter 'color'"), {"parameters": {"color": "red"}}),
        (("INVALID_ARGUMENT", r"must have shape \[-1, 4\]"), {"inputs": [given("x", rows(2, 3))]}),
        (("INVALID_ARGUMENT", "expected the tensors"), {"inputs": [given("z", rows())]}),
        (("INVALID_ARGUMENT", "must be FP32, not FP64"), {"inputs": [given("x", np.zeros((1, 4)))]}),
        (("INVALID_ARGUMENT", "POST /v1/jobs"), {"model_name": "ocr"}),
    ],
)
def test_refusals_say_what_was_wrong(
    over_grpc: Client, adder: str, refusal: tuple[str, str], changes: dict[str, Any]
) -> None:
    status, words = refusal
    asked = {"model_name": adder, "inputs": [given("x", rows())], **changes}
    with pytest.raises(InferenceServerException, match=words) as refused:
        over_grpc.infer(**asked)
    assert refused.value.status() == f"StatusCode.{status}"


def test_statistics_count_calls_of_both_ways(
    over_grpc: Client, grpc_address: str, address: str, product: Product, adder: str
) -> None:
    own = product.create_account("Counted")
    with triton.InferenceServerClient(grpc_address) as newcomer:
        newcomer.register_plugin(WithKey(own.key))
        for _ in range(2):
            newcomer.infer(adder, [given("x", rows())])
        with pytest.raises(InferenceServerException):
            newcomer.infer(adder, [given("x", rows(1, 4))], timeout=1)
        with over_http.InferenceServerClient(address) as newcomer_over_http:
            newcomer_over_http.register_plugin(asking.WithKey(own.key))
            newcomer_over_http.infer(adder, [asking.given("x", rows())])

        def counted() -> bool:
            return bool(newcomer.get_inference_statistics(adder).model_stats[0].inference_count == 3)

        eventually(counted, "the counts of every web process", 10)
        first = newcomer.get_inference_statistics(adder).model_stats[0]
        assert (first.version, first.inference_count) == ("1", 3)
        assert (first.inference_stats.success.count, first.inference_stats.fail.count) == (3, 1)
        everything = newcomer.get_inference_statistics().model_stats
        assert sum(one.inference_count for one in everything) == 3
    with pytest.raises(InferenceServerException) as refused:
        over_grpc.get_inference_statistics("nothing")
    assert refused.value.status() == "StatusCode.NOT_FOUND"


def test_what_is_the_operators_is_refused_with_words(over_grpc: Client, adder: str) -> None:
    actions = (over_grpc.load_model, over_grpc.unload_model)
    for action in actions:
        with pytest.raises(InferenceServerException, match="operator's choice") as refused:
            action(adder)
        assert refused.value.status() == "StatusCode.UNIMPLEMENTED"
    with pytest.raises(InferenceServerException, match="not shared with callers"):
        over_grpc.register_system_shared_memory("region", "/key", 32)


def test_every_method_of_the_protocol_is_answered_or_refused_with_words() -> None:
    methods = service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"].methods_by_name
    assert set(methods) == {*WITH_MESSAGE, *WITHOUT_MESSAGE, *NOT_HERE, "ModelStreamInfer"}


def test_the_port_of_http_does_not_speak_it(product: Product, account: Account) -> None:
    headers = {"authorization": f"Bearer {account.key}"}
    answer = httpx.post(f"{product.running.url}{GRPC_PREFIX}ModelInfer", headers=headers, timeout=60)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
