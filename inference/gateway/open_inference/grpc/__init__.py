"""The protocol over gRPC: its messages, read within bounds and answered from the same parts as over HTTP."""
