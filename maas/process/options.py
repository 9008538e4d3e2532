"""Checks that every process makes on its environment before it listens."""

from maas.process.errors import LaunchError


class InvalidOption(LaunchError):
    code = "invalid_option"


def require_own_port(*, port: int, grpc_port: int) -> None:
    """Refuse one port for HTTP and gRPC. Both would listen, because web processes share their ports, and callers would
    reach either by chance.
    """
    if grpc_port == port:
        raise InvalidOption(
            f"MAAS_GRPC_PORT={grpc_port} is MAAS_PORT, where HTTP is spoken: give gRPC a port of its own, or 0"
        )
