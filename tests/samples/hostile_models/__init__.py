"""Model files that do harm: no models at all, bombs, lies about tensors, operators that read or fill memory, loops."""

from collections.abc import Mapping

from tests.samples.hostile_models.building import FOREVER, Feeds, HostileModel
from tests.samples.hostile_models.calls import CALLS
from tests.samples.hostile_models.endless import ENDLESS_RUNS, ENDLESSLY, looping, patient
from tests.samples.hostile_models.files import NO_MODELS
from tests.samples.hostile_models.names import NAMES
from tests.samples.hostile_models.operators import OPERATORS
from tests.samples.hostile_models.structures import STRUCTURES
from tests.samples.hostile_models.tensors import TENSORS

__all__ = ["ENDLESSLY", "FOREVER", "HOSTILE_MODELS", "Feeds", "HostileModel", "looping", "patient"]

HOSTILE_MODELS: Mapping[str, HostileModel] = {
    **NO_MODELS,
    **STRUCTURES,
    **NAMES,
    **TENSORS,
    **OPERATORS,
    **CALLS,
    **ENDLESS_RUNS,
}
