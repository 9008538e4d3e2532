"""The gates of synchronous calls."""

from django.utils.translation import gettext_lazy as _

from tenants.core.gates import FIXED, Gate

GATES = (
    Gate(
        "body_memory",
        "overloaded",
        _("Bytes of request bodies and answers in memory"),
        _("process and account"),
        FIXED,
    ),
    Gate(
        "model_queue",
        "overloaded",
        _("Calls that wait for a model"),
        _("model"),
        _("Batch settings of the model"),
    ),
    Gate(
        "own_models",
        "too_many_models",
        _("Models of its own"),
        _("account"),
        _("Plan or account: own models; MAAS_OWN_MODELS"),
    ),
    Gate("workers", "inference_unavailable", _("Calls while no worker answers"), _("model"), _("Scaling of the pool")),
)
