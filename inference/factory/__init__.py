"""Variants of an ONNX file: how they are made, measured against their source and judged. It knows no database."""
