"""Serve the Open Inference Protocol, version 2, over HTTP, which clients of Triton and KServe use."""
