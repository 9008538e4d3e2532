"""Tests of how the parts of a web process end together."""

import asyncio

import grpc
import grpc.aio
from pytest_django import Settings

from maas.local.supervisor.ports import free_port
from maas.web.front import Front
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.web.grpc.in_process import TIMEOUT_S, Caller


def test_a_stream_that_stays_holds_up_no_other_part(settings: Settings, tenant: CreatedTenant) -> None:
    port = settings.MAAS_GRPC_PORT = free_port()

    async def scenario() -> None:
        front = Front.from_settings()
        assert front._grpc is not None
        await front._grpc.start("127.0.0.1", port)
        front._journal.start()
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel, asyncio.timeout(TIMEOUT_S):
            stream = Caller(channel, tenant.key.text).stream()
            await stream.write(b"no message")
            assert await stream.read() is not grpc.aio.EOF
            ending = asyncio.create_task(front._tell_last_words())
            await front._journal._stopping.wait()
            assert front._grpc._stopped is not None
            assert not front._grpc._stopped.done()
            await ending
        front._close()

    asyncio.run(scenario())
