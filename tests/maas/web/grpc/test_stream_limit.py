import pytest

from maas.web.grpc.streams import StreamSlots
from tenants.core.asgi.threads import Overloaded


def test_streams_are_refused_beyond_their_number() -> None:
    seats = StreamSlots(most=3, max_of_one=2, for_first=0)
    with seats.one("a"), seats.one("a"):
        with pytest.raises(Overloaded, match="2 streams"), seats.one("a"):
            pass
        with seats.one("b"), pytest.raises(Overloaded, match="Too many"), seats.one("c"):
            pass
    with seats.one("a"):
        pass
    assert not seats._taken


def test_the_last_streams_are_for_tenants_who_have_none() -> None:
    seats = StreamSlots(most=3, max_of_one=3, for_first=1)
    with seats.one("a"), seats.one("a"):
        with pytest.raises(Overloaded, match="Too many"), seats.one("a"):
            pass
        with seats.one("b"):
            pass
