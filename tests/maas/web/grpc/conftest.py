"""A web process with a port for gRPC, and a model behind it that holds its callers when it is asked to."""

import threading
from collections.abc import Callable, Iterator

import grpc
import numpy as np
import pytest
from django.conf import settings
from tritonclient.grpc import service_pb2

from inference.core.calls import Call
from inference.core.contracts import TextInput, WorkOutput
from inference.core.control import ControlListener
from inference.gateway.gateway import GRPC_PREFIX
from inference.registry.models import ModelVersion
from inference.rpc import LaneReader, LaneRequest
from inference.rpc.keys import CANCEL_WORD
from maas.local.supervisor.ports import free_port
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.maas.web.grpc.asking import MAX_BYTES, TIMEOUT_S, Caller
from tests.waiting import eventually

SLOTS = 4


class HoldingModel:
    """A model that answers texts with ones. If a text asks it to hold, it waits for its caller to leave."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.holds = threading.Semaphore(0)
        self.left = threading.Semaphore(0)

    @property
    def name(self) -> str:
        return self.key.partition("@")[0]

    def serve(self, request: LaneRequest) -> WorkOutput:
        assert isinstance(request.work, TextInput)
        if "hold" in request.work.texts:
            self._hold(request.call)
        return WorkOutput({}, tensors={"embedding": np.ones((len(request.work.texts), 2), np.float32)})

    def _hold(self, call: Call) -> None:
        canceled = threading.Event()
        call.on_cancel(canceled.set)
        self.holds.release()
        canceled.wait(60)
        if call.canceled:
            self.left.release()
        call.check()


def is_ready(caller: Caller, model: str) -> bool:
    try:
        answer = caller.stub.ModelReady(service_pb2.ModelReadyRequest(name=model), metadata=caller.metadata)
    except grpc.RpcError:
        return False
    return bool(answer.ready)


@pytest.fixture
def holding(
    make_version: Callable[..., ModelVersion], caller: Caller, other_tenant: CreatedTenant
) -> Iterator[HoldingModel]:
    model = HoldingModel(make_version().key)
    # Every process knows a new model within a second. Another tenant asks, since the limits of a key are cached for as
    # long.
    other = Caller(caller.channel, other_tenant.key.text)
    eventually(lambda: is_ready(other, model.name), "the model")
    reader = LaneReader(settings.MAAS_REDIS_URL, model.serve, slots=SLOTS)
    reader.set_lanes([model.key])
    reader.start()
    hearers = {CANCEL_WORD: lambda about: reader.cancel(about["request"])}
    listener = ControlListener(settings.MAAS_REDIS_URL, hearers)
    listener.start()
    assert listener.listening.wait(TIMEOUT_S)
    yield model
    listener.stop()
    reader.stop(5)


@pytest.fixture(scope="session")
def grpc_server() -> Iterator[tuple[GranianServer, int]]:
    port = free_port()
    variables = {"MAAS_GRPC_PORT": str(port), "MAAS_MAX_CALL_BYTES": str(MAX_BYTES)}
    with GranianServer("maas.asgi:application", variables) as server:
        yield server, port


@pytest.fixture
def caller(grpc_server: tuple[GranianServer, int], tenant: CreatedTenant) -> Iterator[Caller]:
    with grpc.insecure_channel(f"127.0.0.1:{grpc_server[1]}") as channel:
        yield Caller(channel, tenant.key.text)


@pytest.fixture
def raw_infer(caller: Caller) -> grpc.UnaryUnaryMultiCallable:
    """Return a call that sends and receives bytes."""
    return caller.channel.unary_unary(f"{GRPC_PREFIX}ModelInfer")
