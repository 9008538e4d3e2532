"""Transformations of an ONNX file, other than pruning: each makes a variant, whose worth only a measurement shows."""

from inference.factory.transforms.catalog import CPU, GPU, Offer, transformations
from inference.factory.transforms.errors import TransformRefused
from inference.factory.transforms.facts import ModelFacts, facts_of
from inference.factory.transforms.limits import TransformLimits
from inference.factory.transforms.options import (
    DynamicInt8,
    Fuse,
    Half,
    Optimize,
    Options,
    Slim,
    StaticInt8,
    options_of,
    parameters_of,
)
from inference.factory.transforms.processor import Int8Support, int8_support
from inference.factory.transforms.sandboxed import transform
from inference.factory.transforms.transformed import Lineage, Transformed

__all__ = [
    "CPU",
    "GPU",
    "DynamicInt8",
    "Fuse",
    "Half",
    "Int8Support",
    "Lineage",
    "ModelFacts",
    "Offer",
    "Optimize",
    "Options",
    "Slim",
    "StaticInt8",
    "TransformLimits",
    "TransformRefused",
    "Transformed",
    "facts_of",
    "int8_support",
    "options_of",
    "parameters_of",
    "transform",
    "transformations",
]
