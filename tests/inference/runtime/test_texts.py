from dataclasses import replace
from typing import Any

import pytest

from inference.core.contracts import TextInput, TokenInput, WorkInput, WorkOutput, WorkRefused
from inference.runtime.native import read_tokenizer
from inference.runtime.precision import artifact
from inference.runtime.texts import Marks
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs

TEXTS = ("The cat sat.", "Invoice no. 7, due in May: 12.50 EUR", "Ünïcödé 漢字 🙂")
CLS, SEP, PAD = 101, 102, 0


def run(work: WorkInput) -> WorkOutput:
    return builtin_engine().run(builtin_specs()["embed"], work, {})


def own_tokenizer(*, fills: bool = False) -> Any:
    """Return the tokenizer of the model's file. It pads rows to 128 tokens, unless that is switched off."""
    tokenizer = read_tokenizer(artifact(builtin_specs()["embed"], "tokenizer"))
    if not fills:
        tokenizer.no_padding()
    return tokenizer


def ids_of(text: str, *, marked: bool = False) -> tuple[int, ...]:
    tokenizer = own_tokenizer()
    return tuple(tokenizer.encode(text, add_special_tokens=marked).ids)


@pytest.mark.parametrize("marked", [False, True])
def test_tokens_give_the_vectors_and_the_count_of_their_texts(marked: bool) -> None:
    rows = tuple(ids_of(text, marked=marked) for text in TEXTS)
    of_tokens, of_texts = run(TokenInput(rows, single=False)), run(TextInput(TEXTS, single=False))
    assert of_tokens.result == of_texts.result
    assert replace(of_tokens.units, device_us=0) == replace(of_texts.units, device_us=0)


def test_tokens_of_one_text_give_one_embedding() -> None:
    text = TEXTS[0]
    answer = run(TokenInput((ids_of(text),), single=True))
    assert answer.result == run(TextInput((text,), single=True)).result


@pytest.mark.parametrize(
    ("rows", "single", "code", "words"),
    [
        ((), False, "input_empty", "the list of texts is empty"),
        (((5,), ()), False, "input_empty", "text 1 is empty: it has no tokens"),
        (((5,),) * 2049, False, "input_too_large", "2049 texts were sent, but at most 2048 are allowed"),
        (((5, -1),), True, "token_unknown", "the text holds -1, which is not a token ID"),
        (((2**31,),), True, "token_unknown", "the text holds 2147483648, which is not a token ID"),
        (
            ((5,), (7, 30522)),
            False,
            "token_unknown",
            "text 1 contains the token 30522, but the vocabulary of the model has 30522",
        ),
        (((5,) * 257,), True, "context_length_exceeded", "the text (257 tokens) is longer than 256"),
        (((5,) * 255,), True, "context_length_exceeded", "the text (257 tokens with its marks) is longer"),
    ],
)
def test_tokens_that_cannot_be_embedded_are_refused(
    rows: tuple[tuple[int, ...], ...], single: bool, code: str, words: str
) -> None:
    with pytest.raises(WorkRefused) as refusal:
        run(TokenInput(rows, single))
    assert refusal.value.code == code
    assert refusal.value.detail.startswith(words)


def test_window_may_be_full() -> None:
    assert run(TokenInput(((5,) * 254,), single=True)).units.tokens == 256
    assert run(TokenInput(((CLS, *(5,) * 254, SEP),), single=True)).units.tokens == 256


def test_rows_that_the_models_own_tokenizer_has_filled_give_the_vectors_of_their_texts() -> None:
    filled = tuple(tuple(own_tokenizer(fills=True).encode(text).ids) for text in TEXTS)
    assert {len(row) for row in filled} == {128}
    assert run(TokenInput(filled, single=False)).result == run(TextInput(TEXTS, single=False)).result


def test_marks_are_what_the_tokenizer_puts_around_a_text() -> None:
    assert Marks.of(own_tokenizer(), padding=PAD) == Marks((CLS,), (SEP,), PAD)


@pytest.mark.parametrize(
    ("marks", "row", "marked"),
    [
        (Marks((1,), (2,)), (7,), (1, 7, 2)),
        (Marks((1,), (2,)), (1, 7, 2), (1, 7, 2)),
        (Marks((1,), (2,)), (1, 2), (1, 2)),
        (Marks((1,), (1,)), (1,), (1, 1, 1)),
        (Marks((1,), ()), (7, 1), (1, 7, 1)),
        (Marks((), ()), (7,), (7,)),
        (Marks((1,), (2,), padding=0), (1, 7, 2, 0, 0), (1, 7, 2)),
        (Marks((1,), (2,), padding=0), (7, 0), (1, 7, 0, 2)),
        (Marks((1,), (2,), padding=0), (0,), (1, 0, 2)),
        (Marks((1,), (2,)), (1, 7, 2, 0), (1, 1, 7, 2, 0, 2)),
    ],
)
def test_marks_are_put_around_a_row_once(marks: Marks, row: tuple[int, ...], marked: tuple[int, ...]) -> None:
    assert marks.around(row) == marked


@pytest.mark.parametrize("runtime", ["parse", "ocr"])
def test_models_that_read_no_tokens_refuse_them(runtime: str) -> None:
    with pytest.raises(WorkRefused, match="input_not_accepted"):
        builtin_engine().run(builtin_specs()[runtime], TokenInput(((5,),), single=True), {})
