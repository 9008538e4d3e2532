"""The gRPC port. Its calls go through the same front as HTTP requests, in the same process and loop."""
