"""The gates of gRPC, large responses and edge mode."""

from django.utils.translation import gettext_lazy as _

from tenants.core.gates import FIXED, Gate

GATES = (
    Gate(
        "grpc_messages",
        "rate_limited",
        _("gRPC messages that are read at the same time"),
        _("account"),
        FIXED,
    ),
    Gate("grpc_streams", "overloaded", _("Open gRPC streams"), _("process and account"), FIXED),
    Gate("file_streams", "overloaded", _("Files that are sent at the same time"), _("process"), FIXED),
    Gate(
        "edge_calls",
        "overloaded",
        _("Calls in progress in edge mode"),
        _("process"),
        _("Option --at-once"),
    ),
)
