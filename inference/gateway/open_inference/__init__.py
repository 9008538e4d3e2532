"""The Open Inference Protocol, version 2, over HTTP: what clients of Triton and KServe speak."""
