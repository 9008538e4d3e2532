"""The execution providers of ONNX Runtime that run the models, and the number of their threads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

TENSORRT = "TensorrtExecutionProvider"
CUDA = "CUDAExecutionProvider"
CPU = "CPUExecutionProvider"

ProviderOptions = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    options: ProviderOptions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    providers: tuple[Provider, ...]
    threads: int

    @property
    def on_gpu(self) -> bool:
        return self.providers[0].name in (TENSORRT, CUDA)

    def on_cpu(self) -> "ExecutionPlan":
        return ExecutionPlan((Provider(CPU),), self.threads)

    def describe(self) -> str:
        """Return a text for logs and the admin, such as `CPUExecutionProvider, 2 threads`."""
        threads = f"{self.threads} thread{'' if self.threads == 1 else 's'}"
        if not self.on_gpu:
            return f"{CPU}, {threads}"
        names = [provider.name for provider in self.providers if provider.name != CPU]
        return f"{', then '.join(names)}, what it cannot run on {CPU}, {threads}"


def plan_execution(
    available: Sequence[str],
    *,
    threads: int,
    has_nvidia_gpu: bool,
    gpu_memory_bytes: int | None = None,
    tensorrt_cache: str | None = None,
) -> ExecutionPlan:
    """Plan CUDA first if the build offers it and there is a device, as the GPU build lists CUDA on any host, and always
    the CPU. With a folder for its engines, TensorRT comes first. It takes minutes to build one per model and device.
    """
    cpu = Provider(CPU)
    if CUDA not in available or not has_nvidia_gpu:
        return ExecutionPlan((cpu,), threads)
    cuda = Provider(CUDA, _cuda_options(gpu_memory_bytes))
    if tensorrt_cache is None or TENSORRT not in available:
        return ExecutionPlan((cuda, cpu), threads)
    return ExecutionPlan((Provider(TENSORRT, _tensorrt_options(tensorrt_cache)), cuda, cpu), threads)


def _cuda_options(gpu_memory_bytes: int | None) -> ProviderOptions:
    options = {
        # The arena grows by the requested size. Doubling would hold up to half of the arena unused.
        "arena_extend_strategy": "kSameAsRequested",
        # An exhaustive search would run again for each new image size.
        "cudnn_conv_algo_search": "HEURISTIC",
        # TF32 is on by default from Ampere on. It uses ten of a number's twenty-three bits, and even at a fixed shape a
        # row's answer depends on its position among the rows.
        "use_tf32": "0",
    }
    if gpu_memory_bytes is not None:
        # This limits a single session. The host ensures that all sessions together stay below the limit.
        options["gpu_mem_limit"] = str(gpu_memory_bytes)
    return options


def _tensorrt_options(cache: str) -> ProviderOptions:
    """Return options that keep the file's precision. Another precision is another, compared artifact."""
    return {
        "trt_engine_cache_enable": "True",
        "trt_engine_cache_path": cache,
        "trt_timing_cache_enable": "True",
        "trt_timing_cache_path": cache,
    }
