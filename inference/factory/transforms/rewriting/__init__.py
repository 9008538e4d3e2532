"""The code that rewrites graphs inside a sandboxed child. Each transformation is a program."""

import os

# The libraries start threads when they are imported, and a sandbox forks this process.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
