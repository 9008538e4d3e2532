"""Whether a graph's operators alone prove that no row of a batch sees another, whatever the values are."""

from inference.runtime.row_proof.outline import Node, Outline
from inference.runtime.row_proof.proof import Proof, prove_rows

__all__ = ["Node", "Outline", "Proof", "prove_rows"]
