"""Structured pruning of plain ONNX graphs, chosen by calibration activations and compensated in closed form."""
