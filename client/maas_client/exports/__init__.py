"""Models of other libraries as ONNX files, made and verified in the caller's own environment."""
