"""Tests that the files of deploy/ fit the repository, the settings and one another. No test builds an image."""

import fnmatch
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from maas.local.launch import children
from tests.docs.containers import COMPOSE, DOCKERFILES, base_of, copied, default_command, services, variables
from tests.docs.product import APPS, PROJECT, read, settings_read

OURS = ("migrate", "web", "worker", "scheduler")


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_everything_that_is_copied_is_there_and_reaches_the_build(dockerfile: str) -> None:
    admitted = [line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")]
    for source in copied(dockerfile):
        assert (PROJECT / source).exists(), source
        assert any(fnmatch.fnmatch(source, pattern) for pattern in admitted), source


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_image_holds_every_app_and_its_templates(dockerfile: str) -> None:
    assert {*APPS, "templates", "manage.py"} <= set(copied(dockerfile))


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_image_sets_only_variables_that_exist(dockerfile: str) -> None:
    ours = {name for name in variables(dockerfile) if name.startswith("MAAS_")}
    assert ours <= settings_read()


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_image_does_not_run_as_root(dockerfile: str) -> None:
    (user,) = re.findall(r"^USER (.*)$", read(dockerfile), re.MULTILINE)
    assert f"useradd --user-group --uid {user} " in read(dockerfile)
    assert int(user) > 0


def test_web_image_is_started_with_the_flags_of_make_up() -> None:
    argv = children.web({}).argv
    assert default_command(DOCKERFILES[0]) == ["python", *argv[1:]]


def test_gpu_image_stands_on_the_cuda_that_its_onnxruntime_is_built_for() -> None:
    """Check the base image. onnxruntime-gpu 1.31 names CUDA 13.0 in its build information and cuDNN 9 in its
    metadata.
    """
    assert re.search(r"^onnxruntime-gpu==1\.31\.", read("requirements/gpu.txt"), re.MULTILINE)
    base = base_of("deploy/docker/Dockerfile.gpu")
    assert base.startswith("nvidia/cuda:13.0.")
    assert "-cudnn-runtime-" in base


@pytest.mark.parametrize("dockerfile", DOCKERFILES)
def test_image_stands_on_one_base_of_an_exact_version(dockerfile: str) -> None:
    name = {*re.findall(r"^FROM (\S+)", read(dockerfile), re.MULTILINE)}
    assert name in ({"${CPU_BASE}"}, {"${GPU_BASE}"})
    assert re.search(r":\d+\.\d+\.\d+-", base_of(dockerfile))


def steps(dockerfile: str) -> list[str]:
    """Return the steps of a Dockerfile without what may differ: its base, its Python, its lock and its process."""
    text = re.sub(r"^#.*\n", "", read(dockerfile), flags=re.MULTILINE)
    text = re.sub(
        r"RUN apt-get update \\\n    && apt-get install \S+ \S+ python3\.12 python3\.12-venv.*\n.*\n", "", text
    )
    text = text.replace("python3.12 bubblewrap", "bubblewrap").replace("python3.12", "python3")
    text = text.replace("GPU_BASE", "CPU_BASE").replace("gpu.txt", "runtime.txt").replace("maas-gpu", "maas")
    return [line for line in text.splitlines() if not line.startswith(("ARG CPU_BASE=", "CMD", "EXPOSE"))]


def test_both_images_are_built_in_the_same_steps() -> None:
    cpu, gpu = (steps(dockerfile) for dockerfile in DOCKERFILES)
    assert cpu == gpu


def test_gpu_lock_differs_from_the_other_in_onnxruntime_alone() -> None:
    pins = [
        dict(re.findall(r"^([a-z0-9_.-]+)==(\S+)", read(f"requirements/{name}.txt"), re.MULTILINE))
        for name in ("runtime", "gpu")
    ]
    cpu, gpu = pins
    assert gpu.pop("onnxruntime-gpu") == cpu.pop("onnxruntime")
    assert gpu == cpu


def test_compose_runs_what_make_up_runs() -> None:
    assert set(services()) == {"postgres", "redis-durable", "redis-cache", "rabbitmq", *OURS}
    assert services()["rabbitmq"]["profiles"] == ["rabbitmq"]


@pytest.mark.parametrize("name", OURS)
def test_compose_sets_only_variables_that_exist(name: str) -> None:
    assert set(services()[name]["environment"]) <= settings_read()


@pytest.mark.parametrize("name", ["web", "worker", "scheduler"])
def test_process_has_a_health_check_and_time_to_stop(name: str) -> None:
    service = services()[name]
    assert re.search(r"/(readyz|livez)'", service["healthcheck"]["test"][-1])
    # Workers take five seconds to hand back what they cannot finish, and some more to close.
    assert int(service["stop_grace_period"].removesuffix("s")) >= 10


def test_every_value_of_compose_that_a_person_must_give_is_in_the_example() -> None:
    wanted = set(re.findall(r"\$\{(\w+):[?-]", read(COMPOSE)))
    assert wanted <= set(re.findall(r"^(?:# )?(\w+)=", read("deploy/docker/maas.env.example"), re.MULTILINE))


@pytest.fixture
def docker_folder(tmp_path: Path) -> Path:
    """Make a copy of deploy/docker, beside a stand-in for the program `docker` that knows a digest of every image."""
    shutil.copytree(PROJECT / "deploy/docker", tmp_path / "docker", ignore=shutil.ignore_patterns("maas.env"))
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "sha256:$(echo "$6" | sha256sum | cut -c-64)"\n')
    program.chmod(0o755)
    return tmp_path / "docker"


def run_there(folder: Path, name: str) -> "subprocess.CompletedProcess[str]":
    path = f"{folder.parent / 'bin'}:{os.environ['PATH']}"
    return subprocess.run([folder / name], env={"PATH": path}, capture_output=True, text=True, timeout=60, check=False)


def test_every_secret_that_compose_asks_for_is_made_at_random_and_never_anew(docker_folder: Path) -> None:
    assert run_there(docker_folder, "make-env").returncode == 0
    made = docker_folder / "maas.env"
    assert made.stat().st_mode & 0o777 == 0o600
    given = dict(re.findall(r"^(\w+)=(.*)$", made.read_text(), re.MULTILINE))
    wanted = set(re.findall(r"\$\{(\w+):\?", read(COMPOSE)))
    assert {"POSTGRES_PASSWORD", "MAAS_DATABASE_PASSWORD", "REDIS_PASSWORD", "RABBITMQ_PASSWORD"} < wanted
    secrets = [given[name] for name in wanted]
    assert len({*secrets}) == len(wanted)
    assert all(re.fullmatch(r"[\w-]{48}", secret, re.ASCII) for secret in secrets)
    again = run_there(docker_folder, "make-env")
    assert (again.returncode, given["REDIS_PASSWORD"] in made.read_text()) == (1, True)
    assert "is there already" in again.stderr


def test_no_server_is_reached_without_a_password() -> None:
    for name in ("redis-durable", "redis-cache"):
        assert "/etc/redis-password.conf" in services()[name]["command"]
        assert services()[name]["configs"] == [{"source": "redis-password", "target": "/etc/redis-password.conf"}]
    assert yaml.safe_load(read(COMPOSE))["configs"] == {"redis-password": {"content": "requirepass ${REDIS_PASSWORD}"}}
    environment = services()["web"]["environment"]
    for name in ("MAAS_REDIS_URL", "MAAS_CACHE_URL", "MAAS_BROKER_URL"):
        assert "://:${REDIS_PASSWORD" in environment[name]
    assert "${RABBITMQ_PASSWORD:?" in services()["rabbitmq"]["environment"]["RABBITMQ_DEFAULT_PASS"]


def test_images_of_others_are_pinned_by_the_digest_that_the_registry_names(docker_folder: Path) -> None:
    done = run_there(docker_folder, "pin")
    assert done.returncode == 0, done.stderr
    pinned = yaml.safe_load((docker_folder / "compose.pinned.yaml").read_text())["services"]
    others = {name: service["image"] for name, service in services().items() if name not in OURS}
    images = {name: pinned[name]["image"] for name in others}
    assert {name: image.partition("@")[0] for name, image in images.items()} == others
    bases = {name: pinned[name]["build"]["args"] for name in OURS}
    assert pinned.keys() == {*others, *OURS}
    for arguments in bases.values():
        assert [base.partition("@")[0] for base in arguments.values()] == [base_of(one) for one in DOCKERFILES]
    named = [*images.values(), *(base for arguments in bases.values() for base in arguments.values())]
    assert all(re.search(r"@sha256:[0-9a-f]{64}$", image) for image in named)
    (docker_folder.parent / "bin" / "docker").write_text("#!/bin/sh\necho unknown\n")
    assert run_there(docker_folder, "pin").returncode == 1


def test_durable_redis_never_evicts_and_the_cache_does() -> None:
    def policy(name: str) -> str:
        words = services()[name]["command"]
        return str(words[words.index("--maxmemory-policy") + 1])

    assert policy("redis-durable") == "noeviction"
    assert policy("redis-cache") == "allkeys-lru"


def gpus_of(service: dict[str, Any]) -> list[str]:
    (device,) = service["deploy"]["resources"]["reservations"]["devices"]
    assert (device["driver"], device["capabilities"]) == ("nvidia", ["gpu"])
    return list(device["device_ids"])


def test_gpu_addition_changes_a_service_that_exists() -> None:
    addition = yaml.safe_load(read("deploy/docker/compose.gpu.yaml"))["services"]
    assert set(addition) <= set(services())
    assert (PROJECT / addition["worker"]["build"]["dockerfile"]).exists()
    assert gpus_of(addition["worker"]) == ["0"]


def test_each_of_several_gpus_has_a_worker_of_its_own() -> None:
    workers = yaml.safe_load(read("deploy/docker/compose.gpus.yaml"))["services"]
    one = yaml.safe_load(read("deploy/docker/compose.gpu.yaml"))["services"]["worker"]
    assert workers.pop("worker") == one
    given = gpus_of(one)
    for worker in workers.values():
        assert worker.pop("extends") == {"file": "compose.yaml", "service": "worker"}
        given += gpus_of(worker)
        assert worker | {"deploy": one["deploy"]} == one
    assert sorted(given) == [str(number) for number in range(len(workers) + 1)]


def test_prometheus_scrapes_every_process_where_compose_puts_it() -> None:
    jobs = yaml.safe_load(read("deploy/prometheus/prometheus.yml"))["scrape_configs"]
    targets = {target for job in jobs for config in job["static_configs"] for target in config["targets"]}
    metrics_port = services()["worker"]["environment"]["MAAS_METRICS_PORT"]
    assert targets == {"web:8000", f"worker:{metrics_port}", f"scheduler:{metrics_port}"}
