"""A port that speaks gRPC: its calls go through the same front as requests over HTTP, in the same process and loop."""
