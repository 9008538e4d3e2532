"""Which execution providers of ONNX Runtime run the models, and with how many threads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
        return self.providers[0].name == CUDA

    def describe(self) -> str:
        """For logs and the admin, such as `CPUExecutionProvider, 2 threads`."""
        threads = f"{self.threads} thread{'' if self.threads == 1 else 's'}"
        if not self.on_gpu:
            return f"{CPU}, {threads}"
        return f"{CUDA}, what it cannot run on {CPU}, {threads}"


def plan_execution(
    available: Sequence[str],
    *,
    threads: int,
    has_nvidia_gpu: bool,
    gpu_memory_bytes: int | None = None,
) -> ExecutionPlan:
    """CUDA first where the build offers it and a device is there, and the CPU always.

    The GPU build names CUDA as available on hosts without a GPU too, hence the second condition.
    """
    # Grown by what is asked for: doubling would hold up to half of the arena unused.
    cpu = Provider(CPU, {"arena_extend_strategy": "kSameAsRequested"})
    if CUDA not in available or not has_nvidia_gpu:
        return ExecutionPlan((cpu,), threads)
    return ExecutionPlan((Provider(CUDA, _cuda_options(gpu_memory_bytes)), cpu), threads)


def _cuda_options(gpu_memory_bytes: int | None) -> ProviderOptions:
    options = {
        "arena_extend_strategy": "kSameAsRequested",
        # An exhaustive search would run again for each new picture size.
        "cudnn_conv_algo_search": "HEURISTIC",
    }
    if gpu_memory_bytes is not None:
        options["gpu_mem_limit"] = str(gpu_memory_bytes)
    return options
