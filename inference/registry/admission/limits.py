"""Limits on the size, the depth and the run time of a model file."""

from dataclasses import dataclass

_MIB = 1024 * 1024
_GIB = 1024 * _MIB


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    max_file_bytes: int = 512 * _MIB
    max_wire_fields: int = 500_000
    """The most fields in the serialized file, without numbers in lists. An empty node is two bytes on disk and 150 once
    parsed. The checks of so many take half a second, in which the worker answers others late.
    """
    max_wire_numbers: int = 10_000_000
    """The most numbers in lists that are not packed, in which exporters write the trees of a forest."""
    max_nodes: int = 50_000
    """The most nodes in the file. Language models have some thousands; a run of many more takes seconds to begin."""
    max_graph_depth: int = 32
    max_expanded_nodes: int = 50_000
    """The most nodes after every local function was inlined at its calls."""
    max_expansion_factor: int = 100
    """The most nodes after inlining for each node in the file. Some thousands of nested calls take seconds to load."""
    free_expanded_nodes: int = 10_000
    """The number of nodes up to which any expansion factor is allowed."""
    max_initializer_bytes: int = 1 * _GIB
    """The most bytes of weights and constants once they are dense, unpacked and inlined at their calls."""
    max_input_elements: int = 2**28
    """The most elements of an input, where open dimensions count as 1."""
    max_signature_tensors: int = 256
    max_signature_characters: int = 32_000
    """The most characters of all names of inputs, outputs and sizes, which are passed on at each load."""


@dataclass(frozen=True, slots=True)
class TrialLimits:
    address_space_bytes: int = 4 * _GIB
    cpu_s: int = 60
    wall_s: float = 180.0
    """The limit on a busy machine, where a trial gets a small part of the processor."""

    @classmethod
    def for_file(cls, file_bytes: int) -> "TrialLimits":
        """Return the limits for a file of this size. Its bytes, the parsed model and the session each hold it once."""
        return cls(address_space_bytes=max(4 * _GIB, 4 * file_bytes))
