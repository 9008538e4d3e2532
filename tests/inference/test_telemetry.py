import subprocess
import sys

COUNT = "import os; {first}import onnxruntime; print(len(os.listdir('/proc/self/task')))"


def threads_after(first: str) -> int:
    env = {"PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", COUNT.format(first=first)]
    return int(subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout)


def test_importing_our_code_keeps_onnx_runtime_from_reporting_home() -> None:
    """The telemetry has a thread of its own from the moment of the import."""
    with_telemetry, ours = threads_after(""), threads_after("import inference; ")
    assert ours == with_telemetry - 1 == 1
