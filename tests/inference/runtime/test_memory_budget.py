from inference.runtime.memory_budget import budget_bytes

GIB = 1 << 30


def test_models_get_half_of_the_machine_or_most_of_its_gpu() -> None:
    assert budget_bytes(machine_bytes=64 * GIB, gpu_bytes=None, gpu_share=1) == 32 * GIB
    assert budget_bytes(machine_bytes=64 * GIB, gpu_bytes=20 * GIB, gpu_share=1) == 17 * GIB


def test_share_of_a_gpu_is_of_what_the_whole_would_give() -> None:
    assert budget_bytes(machine_bytes=64 * GIB, gpu_bytes=80 * GIB, gpu_share=0.25) == 17 * GIB


def test_share_of_a_gpu_has_no_effect_where_there_is_none() -> None:
    assert budget_bytes(machine_bytes=64 * GIB, gpu_bytes=None, gpu_share=0.25) == 32 * GIB
