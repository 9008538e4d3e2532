from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from maas.edge_mode.errors import CannotServe
from maas.edge_mode.options import EdgeOptions, check_options, named_files, named_members, names_in

KEY = "0123456789abcdef"
PLAIN = EdgeOptions(("ocr",), {}, {}, {}, "127.0.0.1", 8000, "", 60.0, 4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (replace(PLAIN, models=()), "there is nothing to serve"),
        (replace(PLAIN, key="short"), "MAAS_EDGE_KEY has 5 characters; use 16 or more"),
        (replace(PLAIN, host="0.0.0.0"), "set MAAS_EDGE_KEY, or listen on 127.0.0.1"),
        (replace(PLAIN, host="::"), "set MAAS_EDGE_KEY"),
        (replace(PLAIN, host="192.168.1.7"), "set MAAS_EDGE_KEY"),
        (replace(PLAIN, host="edge.example"), "'edge.example' is not an address"),
        (replace(PLAIN, port=0), "--port 0 is not a port"),
        (replace(PLAIN, at_once=0), "--at-once 0 must be from 1 to 64"),
        (replace(PLAIN, deadline_s=float("nan")), "--deadline nan must be more than 0"),
    ],
)
def test_what_cannot_be_served_is_said(options: EdgeOptions, words: str) -> None:
    with pytest.raises(CannotServe) as refusal:
        check_options(options)
    assert words in str(refusal.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1"])
def test_own_machine_needs_no_key(host: str) -> None:
    check_options(replace(PLAIN, host=host))


def test_other_machines_may_come_with_a_key() -> None:
    check_options(replace(PLAIN, host="0.0.0.0", key=KEY))


def test_names_are_taken_once_each() -> None:
    assert names_in("ocr, embed,,ocr") == ("ocr", "embed")
    assert names_in("") == ()


def test_files_and_members_have_names() -> None:
    assert named_files(["a=x.onnx", "b=y=z.onnx"], "--onnx") == {"a": Path("x.onnx"), "b": Path("y=z.onnx")}
    assert named_members(["p.a=one", "p.b=two"]) == {"p": {"a": "one", "b": "two"}}


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda: named_files(["x.onnx"], "--onnx"), "--onnx 'x.onnx' must be written name=path"),
        (lambda: named_files(["a=x", "a=y"], "--onnx"), "--onnx names 'a' twice"),
        (lambda: named_members(["a=x"]), "--member a=x must be written pipeline.role=model"),
        (lambda: named_members(["p.a"]), "--member 'p.a' must be written pipeline.role=model"),
    ],
)
def test_what_is_written_wrongly_is_said(read: Callable[[], object], words: str) -> None:
    with pytest.raises(CannotServe) as refusal:
        read()
    assert words in str(refusal.value)
