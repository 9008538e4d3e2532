"""What every process checks of the environment before it listens."""

from maas.process.errors import LaunchError


class InvalidOption(LaunchError):
    code = "invalid_option"


def require_own_port(*, port: int, grpc_port: int) -> None:
    """Both would listen, and callers reach one or the other by chance: web processes share their ports."""
    if grpc_port == port:
        raise InvalidOption(
            f"MAAS_GRPC_PORT={grpc_port} is MAAS_PORT, where HTTP is spoken: give gRPC a port of its own, or 0"
        )
