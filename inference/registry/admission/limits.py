"""How large, deep and slow a model file may be."""

from dataclasses import dataclass

_MIB = 1024 * 1024
_GIB = 1024 * _MIB


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    max_file_bytes: int = 512 * _MIB
    max_wire_fields: int = 2_000_000
    """Fields in the serialised file: an empty node is two bytes on disk and 150 once parsed."""
    max_graph_depth: int = 32
    max_expanded_nodes: int = 100_000
    """Nodes once every local function is written out in place of its calls."""
    max_expansion_factor: int = 100
    """Nodes written out for each in the file: some thousands of calls within calls take seconds to load."""
    free_expanded_nodes: int = 10_000
    """Up to which any factor will do."""
    max_initializer_bytes: int = 1 * _GIB
    """Weights and constants once dense, unpacked and written out in place of calls."""
    max_input_elements: int = 2**28
    """Of one input, its open dimensions taken as 1."""
    max_signature_tensors: int = 256


@dataclass(frozen=True, slots=True)
class TrialLimits:
    address_space_bytes: int = 4 * _GIB
    cpu_s: int = 60
    wall_s: float = 90.0
