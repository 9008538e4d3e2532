"""Models: the registry and everything that runs them."""

import os

# ONNX Runtime sends telemetry unless this is set before its first import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
