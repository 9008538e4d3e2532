from tenants.cells.cells import Cell
from tenants.cells.signatures import is_signed, new_secret, public_key_of, sign

OLD, NEW, OTHER = new_secret(), new_secret(), new_secret()
CELL = Cell("eu", "https://eu.example.com", (public_key_of(OLD), public_key_of(NEW)))


def test_either_key_of_a_cell_signs_for_it_and_no_other() -> None:
    assert is_signed(CELL, "export", b"message", sign(OLD, "export", b"message"))
    assert is_signed(CELL, "export", b"message", sign(NEW, "export", b"message"))
    assert not is_signed(CELL, "export", b"message", sign(OTHER, "export", b"message"))


def test_a_signature_holds_for_one_purpose_and_one_message() -> None:
    signature = sign(OLD, "export", b"message")
    assert not is_signed(CELL, "forward", b"message", signature)
    assert not is_signed(CELL, "export", b"massage", signature)
    assert not is_signed(CELL, "export\nmess", b"age", signature)


def test_nonsense_is_no_signature() -> None:
    for signature in (b"", b"x", bytes(64), bytes(65)):
        assert not is_signed(CELL, "export", b"message", signature)
