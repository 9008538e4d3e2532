import threading

import numpy as np
import pytest

from inference.core.calls import Call
from inference.core.contracts import PageInput, TextInput, TextLine, WorkOutput, WorkRefused
from inference.rpc import LaneRequest
from inference.runtime.batched import Begun
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs

SHORT = "The cat sat."
LONG = "A rather longer sentence about invoices, due dates and the total amount to be paid by the end of May. " * 3


def embed(*texts: str, single: bool = False) -> WorkOutput:
    return builtin_engine().run(builtin_specs()["embed"], TextInput(texts, single=single), {})


def embed_page(*lines: str) -> WorkOutput:
    text_lines = tuple(TextLine(line, None, 1.0) for line in lines)
    return builtin_engine().run(builtin_specs()["embed"], PageInput(1, 0, 0, text_lines, None), {})


def test_one_text_gives_one_embedding() -> None:
    answer = embed(SHORT, single=True)
    assert len(answer.result["embedding"]) == answer.result["dimensions"] == 384
    assert np.linalg.norm(answer.result["embedding"]) == pytest.approx(1.0, abs=1e-6)
    # The six tokens are [CLS] the cat sat . [SEP].
    assert answer.result["tokens"] == answer.units.tokens == 6


def test_list_of_one_gives_a_list() -> None:
    assert embed(SHORT).result["embeddings"] == [embed(SHORT, single=True).result["embedding"]]


def test_texts_of_mixed_lengths_keep_their_order_and_their_vectors() -> None:
    texts = [LONG, SHORT, LONG[:150], SHORT + " And slept.", LONG]
    together = embed(*texts).result["embeddings"]
    alone = [embed(text, single=True).result["embedding"] for text in texts]
    assert np.allclose(together, alone, atol=1e-5)


def test_tokens_of_padding_are_not_counted() -> None:
    assert embed(SHORT, LONG).units.tokens == embed(SHORT).units.tokens + embed(LONG).units.tokens


def test_alike_texts_are_closer_than_unlike_ones() -> None:
    cat, kitten, invoice = np.array(
        embed("A cat sits on the mat.", "A kitten rests on the rug.", "Please pay the invoice.").result["embeddings"]
    )
    assert cat @ kitten > 0.5 > cat @ invoice


def test_text_beyond_the_window_is_said_to_be_cut() -> None:
    answer = embed(SHORT, "word " * 300)
    assert answer.result["truncated"] == [1]
    assert answer.result["tokens"] == 6 + 256
    assert embed("word " * 300, single=True).result["truncated"] is True


@pytest.mark.parametrize(
    ("texts", "single", "name"),
    [((SHORT, "word " * 300), False, "text 1"), (("word " * 300,), True, "the text")],
)
def test_text_beyond_the_window_is_refused_where_it_must_not_be_cut(
    texts: tuple[str, ...], single: bool, name: str
) -> None:
    with pytest.raises(WorkRefused) as refusal:
        builtin_engine().run(builtin_specs()["embed"], TextInput(texts, single), {"truncate": False})
    assert refusal.value.code == "context_length_exceeded"
    assert refusal.value.detail.startswith(f"{name} (1500 characters) is longer than 256 tokens")


def test_page_beyond_its_windows_is_refused_where_it_must_not_be_cut() -> None:
    lines = tuple(TextLine("word " * 300, None, 1.0) for _ in range(16))
    with pytest.raises(WorkRefused, match=r"the page \(24015 characters\) is longer than 4096 tokens"):
        builtin_engine().run(builtin_specs()["embed"], PageInput(1, 0, 0, lines, None), {"truncate": False})


def test_text_that_fits_is_not_refused_for_what_must_not_be_cut() -> None:
    work = TextInput(("word " * 254,), single=True)
    answer = builtin_engine().run(builtin_specs()["embed"], work, {"truncate": False})
    assert answer.units.tokens == 256


@pytest.mark.parametrize(
    ("work", "code", "detail"),
    [
        (TextInput((), single=False), "input_empty", "the list of texts is empty; send at least one text"),
        (TextInput((" \n",), single=True), "input_empty", "the text is empty"),
        (TextInput(("a", ""), single=False), "input_empty", "text 1 is empty"),
        (
            TextInput(("a",) * 2049, single=False),
            "input_too_large",
            "2049 texts were sent, but at most 2048 are allowed",
        ),
        (
            TextInput(("\ud800",), single=True),
            "text_not_unicode",
            "the text contains half of a surrogate pair",
        ),
    ],
)
def test_texts_that_cannot_be_embedded_are_refused(work: TextInput, code: str, detail: str) -> None:
    with pytest.raises(WorkRefused) as refusal:
        builtin_engine().run(builtin_specs()["embed"], work, {})
    assert (refusal.value.code, refusal.value.detail) == (code, detail)


def test_page_is_embedded_whole_however_long() -> None:
    beginning, end = "The recipe begins with onions. " * 40, "The invoice is due in May. " * 40
    answer = embed_page(beginning, end)
    whole, of_beginning, of_end = (
        np.array(page.result["embedding"]) for page in (answer, embed_page(beginning), embed_page(end))
    )
    assert answer.units.tokens > 256
    assert answer.units.pages == 1
    assert not answer.result["truncated"]
    assert min(whole @ of_beginning, whole @ of_end) > of_beginning @ of_end + 0.2
    assert np.linalg.norm(whole) == pytest.approx(1.0, abs=1e-6)


def test_picture_is_not_text() -> None:
    page = PageInput(3, 10, 10, None, load_pixels=lambda: np.zeros((10, 10, 3), np.uint8))
    with pytest.raises(WorkRefused, match="input_not_accepted: the page is an image"):
        builtin_engine().run(builtin_specs()["embed"], page, {})


@pytest.mark.parametrize("single", [True, False])
def test_texts_whose_run_is_begun_have_the_vectors_of_those_that_are_waited_for(single: bool) -> None:
    spec, work, ended = builtin_specs()["embed"], TextInput((SHORT,), single=single), threading.Event()
    builtin_engine().load(spec)
    asked = LaneRequest(spec.key, work, {}, Call())
    (begun,) = builtin_engine().begin(spec, [asked], lambda _calls: ended.set())
    assert isinstance(begun, Begun)
    assert ended.wait(30)
    waited, answer = builtin_engine().answer(spec, work, {}), begun.result()
    assert answer.tensors is not None
    assert waited.tensors is not None
    np.testing.assert_array_equal(answer.tensors["embedding"], waited.tensors["embedding"])
    assert (answer.result, answer.row_tokens) == (waited.result, waited.row_tokens)


def test_long_texts_are_left_to_a_thread() -> None:
    spec = builtin_specs()["embed"]
    asked = LaneRequest(spec.key, TextInput(("word " * 3000,), single=True), {}, Call())
    builtin_engine().load(spec)
    assert builtin_engine().begin(spec, [asked], lambda _calls: None) == [None]
