"""The memory that a process may take for models."""

HOST_SHARE = 0.5
"""The share of this machine's memory for models. The rest is for documents, answers and all other programs."""
GPU_MODELS_SHARE = 0.85
"""The share of a GPU's memory for models. The rest is for the workspaces of its libraries, which no arena counts."""


def budget_bytes(*, machine_bytes: int, gpu_bytes: int | None, gpu_share: float) -> int:
    """Return the default budget. Without a GPU, `gpu_bytes` is None. Of a GPU, `gpu_share` is for this process."""
    if gpu_bytes is None:
        return int(machine_bytes * HOST_SHARE)
    return int(gpu_bytes * gpu_share * GPU_MODELS_SHARE)
