import pytest

from inference.runtime.providers import CPU, CUDA, TENSORRT, plan_execution


@pytest.mark.parametrize(
    ("available", "has_gpu", "chosen"),
    [
        ([CPU], False, [CPU]),
        ([CPU], True, [CPU]),
        ([CUDA, CPU], True, [CUDA, CPU]),
        (["TensorrtExecutionProvider", CUDA, CPU], True, [CUDA, CPU]),
        ([CUDA, CPU], False, [CPU]),
        (["AzureExecutionProvider", CPU], False, [CPU]),
    ],
)
def test_cuda_comes_first_only_where_build_and_device_are_there(
    available: list[str], has_gpu: bool, chosen: list[str]
) -> None:
    plan = plan_execution(available, threads=2, has_nvidia_gpu=has_gpu)
    assert [provider.name for provider in plan.providers] == chosen
    assert plan.on_gpu == (CUDA in chosen)


def test_gpu_arena_is_limited_to_what_models_may_take() -> None:
    plan = plan_execution([CUDA, CPU], threads=2, has_nvidia_gpu=True, gpu_memory_bytes=4 << 30)
    assert plan.providers[0].options["gpu_mem_limit"] == str(4 << 30)


def test_gpu_multiplies_in_full_precision() -> None:
    plan = plan_execution([CUDA, CPU], threads=2, has_nvidia_gpu=True)
    assert plan.providers[0].options["use_tf32"] == "0"


def test_what_no_gpu_is_to_run_has_as_many_threads_on_the_cpu() -> None:
    plan = plan_execution([CUDA, CPU], threads=2, has_nvidia_gpu=True).on_cpu()
    assert plan == plan_execution([CPU], threads=2, has_nvidia_gpu=False)


@pytest.mark.parametrize(
    ("available", "threads", "text"),
    [
        ([CPU], 1, "CPUExecutionProvider, 1 thread"),
        ([CPU], 2, "CPUExecutionProvider, 2 threads"),
        ([CUDA, CPU], 2, "CUDAExecutionProvider, what it cannot run on CPUExecutionProvider, 2 threads"),
    ],
)
def test_plan_describes_itself_for_logs(available: list[str], threads: int, text: str) -> None:
    assert plan_execution(available, threads=threads, has_nvidia_gpu=True).describe() == text


@pytest.mark.parametrize(
    ("available", "has_gpu", "chosen"),
    [
        ([TENSORRT, CUDA, CPU], True, [TENSORRT, CUDA, CPU]),
        ([CUDA, CPU], True, [CUDA, CPU]),
        ([TENSORRT, CUDA, CPU], False, [CPU]),
    ],
)
def test_tensorrt_comes_first_only_where_it_is_wanted_and_there(
    available: list[str], has_gpu: bool, chosen: list[str]
) -> None:
    plan = plan_execution(available, threads=2, has_nvidia_gpu=has_gpu, tensorrt_cache="/engines")
    assert [provider.name for provider in plan.providers] == chosen
    assert plan.on_gpu == has_gpu
    if chosen[0] == TENSORRT:
        assert plan.providers[0].options["trt_engine_cache_path"] == "/engines"
        assert plan.describe().startswith(f"{TENSORRT}, then {CUDA}, what it cannot run on {CPU}")
