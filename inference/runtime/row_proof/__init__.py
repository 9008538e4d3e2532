"""The proof, from a graph's operators alone, that no row of a batch depends on another row, whatever the values are."""

from inference.runtime.row_proof.proof import Proof, prove_rows
from inference.runtime.row_proof.values import Node, Outline

__all__ = ["Node", "Outline", "Proof", "prove_rows"]
