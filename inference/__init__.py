"""Models: their registry, and everything that runs them."""

import os

# ONNX Runtime reports home unless it is told otherwise before its first import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
