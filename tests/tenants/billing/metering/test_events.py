from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.billing.metering.events import COVERED, MeterEvent, Unreadable, read_event, write_event
from tenants.plans.prices import Price
from tests.tenants.billing.metering.conftest import MakeEvent, events


@given(events)
def test_an_event_is_read_as_it_was_written(event: MeterEvent) -> None:
    assert read_event(write_event(event)) == event


def test_an_event_of_the_format_without_keys_is_read_as_one_without_a_key() -> None:
    """The previous version wrote this event; it may have been set aside since then."""
    written = bytes.fromhex(
        "01019fa123000070008000000000000001019fa123000070008000000000000002030000000700000000000000102700"
        "0000000000e80300000000000000ead3f8a101000001"
    )
    event = read_event(written + b"cache\0embed\0token\0EUR")
    assert (event.quantity, event.version, event.price) == (7, 3, Price("token", 10_000, 1000, "EUR"))
    assert (event.key_id, event.cached, event.saved_micros) == (None, True, 0)
    assert not read_event(written + b"call\0embed\0token\0EUR").cached


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_unreadable(written: bytes) -> None:
    with suppress(Unreadable):
        read_event(written)


@given(events, st.data())
def test_a_damaged_event_is_an_event_or_unreadable(event: MeterEvent, data: st.DataObject) -> None:
    written = bytearray(write_event(event))
    written[data.draw(st.integers(0, len(written) - 1))] = data.draw(st.integers(0, 255))
    with suppress(Unreadable):
        read_event(bytes(written))


def test_what_units_were_set_aside_for_is_written_with_it(make_event: MakeEvent) -> None:
    event = replace(make_event(), quantity=9, covered=3, covered_of_all=4)
    assert read_event(write_event(event)) == event
    for wrong in (replace(event, covered=6), replace(event, covered_of_all=-1)):
        with pytest.raises(Unreadable, match="cannot be covered"):
            read_event(write_event(wrong))


def test_an_event_cut_off_is_refused(make_event: MakeEvent) -> None:
    written = write_event(make_event())
    for length in range(len(written) - len("EUR") - 1):
        with pytest.raises(Unreadable):
            read_event(written[:length])


def test_an_event_of_another_format_is_refused_by_its_number(make_event: MakeEvent) -> None:
    written = bytes([COVERED + 1]) + write_event(make_event())[1:]
    with pytest.raises(Unreadable, match=f"format {COVERED + 1}, and this version of the product reads {COVERED}"):
        read_event(written)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"quantity": -1}, "negative"),
        ({"at_ms": 2**62}, "no event of format"),
    ],
)
def test_an_impossible_event_is_refused(make_event: MakeEvent, change: dict[str, int], words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        read_event(write_event(make_event(**change)))


def test_test_keys_pay_nothing(make_event: MakeEvent) -> None:
    assert make_event(quantity=100).amount_micros == 1000
    assert make_event(quantity=100, livemode=False).amount_micros == 0
