"""Serve the protocol over gRPC. The messages are read within bounds and answered by the same code as over HTTP."""
