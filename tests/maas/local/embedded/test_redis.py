"""Tests of the embedded Redis servers: one keeps its data, one forgets it, and both are private."""

import shutil
import stat
from pathlib import Path

import pytest
import redis

from maas.local.embedded.redis import RedisRole, RedisServer
from tests.maas.local.embedded.running import running, scratch_of

WRITTEN_BY_REDIS_6 = Path(__file__).with_name("written_by_redis_6.2.aof")


def server_in(home: Path, role: RedisRole = RedisRole.DURABLE) -> RedisServer:
    return RedisServer(home, role, scratch_of(home))


@pytest.mark.parametrize(
    ("role", "kept", "policy"),
    [(RedisRole.DURABLE, b"1", "noeviction"), (RedisRole.CACHE, None, "allkeys-lru")],
)
def test_only_the_durable_server_keeps_what_it_was_told(
    tmp_path: Path, role: RedisRole, kept: bytes | None, policy: str
) -> None:
    first = server_in(tmp_path, role)
    with running(first, tmp_path / "log"), redis.Redis.from_url(first.url) as client:
        client.set("kept", 1)
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": policy}
    second = server_in(tmp_path, role)
    with running(second, tmp_path / "log"), redis.Redis.from_url(second.url) as client:
        assert client.get("kept") == kept


def test_log_cut_short_by_a_crash_is_loaded_up_to_the_cut(tmp_path: Path) -> None:
    first = server_in(tmp_path)
    with running(first, tmp_path / "log") as process, redis.Redis.from_url(first.url) as client:
        client.set("whole", 1)
        process.kill()
    [tail] = (tmp_path / "redis" / "appendonlydir").glob("*.incr.aof")
    with tail.open("ab") as log:
        log.write(b"*3\r\n$3\r\nSET\r\n$3\r\ncu")
    second = server_in(tmp_path)
    with running(second, tmp_path / "log"), redis.Redis.from_url(second.url) as client:
        assert client.get("whole") == b"1"


@pytest.mark.parametrize("part", ["snapshot", "log"])
def test_what_redis_6_kept_is_loaded_and_stays(tmp_path: Path, part: str) -> None:
    """The file holds a snapshot in RDB version 9, and commands after it."""
    server = server_in(tmp_path)
    shutil.copyfile(WRITTEN_BY_REDIS_6, tmp_path / "redis" / "appendonly.aof")
    for _ in range(2):
        with (
            running(server, tmp_path / "log"),
            redis.Redis.from_url(server.url, decode_responses=True) as client,
        ):
            assert client.get(f"text:{part}") == "kept"
            assert client.lrange(f"list:{part}", 0, -1) == ["a", "b", "c"]
            assert client.hgetall(f"hash:{part}") == {"f": "1", "g": "x" * 100}
            assert client.zrange(f"sorted:{part}", 0, -1) == ["m", "n"]
            assert client.smembers(f"set:{part}") == {"1", "2", "x"}
            assert client.pttl(f"expires:{part}") > 0
            assert client.xlen(f"stream:{part}") == 2
            assert client.xpending(f"stream:{part}", "group")["pending"] == 1


def test_socket_is_the_only_way_in_and_private(tmp_path: Path) -> None:
    server = server_in(tmp_path)
    with running(server, tmp_path / "log"), redis.Redis.from_url(server.url) as client:
        assert client.config_get("port") == {"port": "0"}
        folder = tmp_path / "run" / "redis"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "redis.sock").stat().st_mode) == 0o700


def test_deep_folder_gets_its_socket_elsewhere(tmp_path: Path) -> None:
    home = tmp_path / ("d" * 90) / "home"
    home.parent.mkdir()
    server = server_in(home)
    with running(server, tmp_path / "log"), redis.Redis.from_url(server.url_of(3)) as client:
        assert client.ping()
    scratch_of(home)
