"""A session host on this machine's own device, with the share of its memory that models may take."""

from pathlib import Path

import structlog

from inference.runtime.machine import this_machine
from inference.runtime.memory_in_use import gpu_memory, keep_no_large_blocks
from inference.runtime.native import onnx_runtime
from inference.runtime.profiles import ProfileStore
from inference.runtime.providers import CUDA, plan_execution
from inference.runtime.session_host import SessionHost

log = structlog.get_logger(__name__)
HOST_SHARE = 0.5
"""The share of this machine's memory for models. The rest is for documents, answers and all other programs."""
GPU_SHARE = 0.85
"""The share of a GPU's memory for models. The rest is for the workspaces of its libraries, which no arena counts."""


def local_host(
    *,
    memory_bytes: int | None = None,
    tensorrt_cache: Path | None = None,
    profiles: ProfileStore | None = None,
) -> SessionHost:
    """Create the host. `tensorrt_cache` is the folder for TensorRT's engines, if they are wanted."""
    keep_no_large_blocks()
    machine = this_machine()
    available = onnx_runtime().get_available_providers()
    # A device file alone says little: with an empty CUDA_VISIBLE_DEVICES, or without a driver, there is no usable
    # device.
    gpu = gpu_memory() if machine.has_nvidia_gpu and CUDA in available else None
    if machine.has_nvidia_gpu and CUDA in available and gpu is None:
        log.warning("gpu_not_used", reason="its driver refuses this process, or has no memory left for it")
    share_bytes = machine.memory_bytes * HOST_SHARE if gpu is None else gpu.total_bytes() * GPU_SHARE
    budget_bytes = memory_bytes or int(share_bytes)
    if tensorrt_cache is not None:
        tensorrt_cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    plan = plan_execution(
        available,
        threads=machine.threads,
        has_nvidia_gpu=gpu is not None,
        gpu_memory_bytes=budget_bytes,
        tensorrt_cache=None if tensorrt_cache is None else str(tensorrt_cache),
    )
    return SessionHost(plan, budget_bytes=budget_bytes, profiles=profiles)
