"""Tests of the texts that people read."""

import pytest

from jobs.core.states import JOB_STATES
from jobs.dashboard.base.wording import example_cost, own_model_cost, price_words, run_cost, state_words
from tenants.plans.agreed import AgreedPrice, AgreedPrices
from tenants.plans.prices import Meter, Price


@pytest.mark.parametrize(("per", "words"), [(1, "0.0015 € per page"), (1000, "0.0015 € per 1000 pages")])
def test_a_price_reads_like_a_price(per: int, words: str) -> None:
    assert price_words(Price("page", 1500, per, "EUR")) == words


def test_tokens_are_priced_by_the_million_everywhere() -> None:
    assert price_words(Price("token", 1, 1, "EUR")) == "1.00 € per million tokens"


def test_no_state_is_shown_as_a_program_writes_it() -> None:
    assert not any("_" in state_words(state) for state in JOB_STATES)


def price(meter: Meter, micros: int, per: int = 1) -> Price:
    return Price(meter, micros, per, "EUR")


@pytest.mark.parametrize(
    ("asked", "words", "example"),
    [
        (price("page", 1500), "0.0015 € per page", "A PDF of 20 pages costs 0.03 €."),
        (
            price("token", 1),
            "1.00 € per million tokens",
            "10,000 tokens, about 7,500 English words, cost 0.01 €.",
        ),
        (
            price("token", 3, 7),
            "0.428571 € per million tokens",
            '10,000 tokens, about 7,500 English words, cost <span title="0.004286 €">&lt; 0.01 €</span>.',
        ),
        (
            price("call", 500, 100),
            "0.0005 € per 100 calls",
            '1,000 calls cost <span title="0.005 €">&lt; 0.01 €</span>.',
        ),
        (
            price("gpu_second", 2_000, 1_000),
            "0.002 € per GPU second",
            "A minute of computing costs 0.12 €.",
        ),
        (price("call", 0), "free of charge", "Using it costs nothing."),
    ],
    ids=["page", "token", "odd", "calls", "time", "free"],
)
def test_price_and_example(asked: Price, words: str, example: str) -> None:
    assert price_words(asked) == words
    assert example_cost(asked) == example


def test_a_model_of_ones_own_costs_calls_and_hours_if_they_have_a_price() -> None:
    def agreed(**micros: int) -> AgreedPrices:
        meters: dict[str, Meter] = {"call": "call", "hour": "model_hour"}
        prices = {meters[name]: price(meters[name], amount) for name, amount in micros.items()}
        return AgreedPrices({("plan", "", meter): AgreedPrice(found, found) for meter, found in prices.items()})

    hours = ": each hour (UTC) in which a version is loaded or called"
    assert own_model_cost(agreed(), "own") == "It costs nothing."
    assert own_model_cost(agreed(call=0, hour=0), "own") == "It costs nothing."
    assert own_model_cost(agreed(call=1_000), "own") == "It costs 0.001 € per call."
    assert own_model_cost(agreed(hour=50_000), "own") == f"It costs 0.05 € per model hour{hours}."
    both = own_model_cost(agreed(call=1_000, hour=50_000), "own")
    assert both == f"It costs 0.001 € per call and 0.05 € per model hour{hours}."


def test_a_document_costs_by_its_pages_and_a_text_is_one() -> None:
    assert run_cost(price("page", 1500), "document") == "0.0015 € per page of the document"
    assert run_cost(price("page", 1500), "text") == "0.0015 €"


def test_every_page_of_a_document_is_a_call() -> None:
    assert run_cost(price("call", 1000), "document") == "0.001 € per page of the document"


def test_time_costs_as_long_as_it_lasts() -> None:
    said = "0.002 € per GPU second, for as long as the model computes"
    assert run_cost(price("gpu_second", 2), "document") == said
