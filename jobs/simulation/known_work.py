"""The work of a piece as the product knows it once it has seen some: learned from the last, and so never exact."""

import numpy as np
import numpy.typing as npt

from inference.scaling.signal import learned

LOOK_S = 2.0
"""Seconds between two looks of the product at its pools."""
WEIGHT = 0.2
"""The weight of the latest piece in the average of a worker. A test compares it with the product."""


class KnownWork:
    """Learns as `Costs` does from the averages of workers, without an object for each worker and look."""

    def __init__(self, mean_s: float) -> None:
        self.piece_s = mean_s
        self._of_workers_s = mean_s

    def learn(self, begun: npt.NDArray[np.float64], *, replicas: int, passed_s: float) -> None:
        """Learn from the seconds of the pieces that have begun in this time."""
        if not len(begun):
            return
        kept = (1 - WEIGHT) ** (len(begun) / max(1, replicas))
        self._of_workers_s += (1 - kept) * (float(begun.mean()) - self._of_workers_s)
        self.piece_s = learned(self.piece_s, self._of_workers_s, looks=passed_s / LOOK_S)
