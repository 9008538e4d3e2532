import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

NAMES = {"requests", "missed_promises", "p95_wait_s", "replica_hours", "cost", "peak_replicas", "policy"}
PRICES = '{"mine": {"price_per_hour": 3, "start_s": 60, "load_s": 10, "speed": 2}}'


def simulate(*arguments: str) -> Any:
    out = StringIO()
    call_command("simulate", *arguments, "--json", "--verbosity=0", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "trace.csv"
    file.write_text("at,work_s\n" + "".join(f"{second},1.5\n" for second in range(3600)))
    return file


def test_the_founding_day_keeps_its_promise_on_few_replicas() -> None:
    told = simulate("--scenario", "founding")
    assert told.keys() >= NAMES
    assert told["requests"] == pytest.approx(1_400_000, rel=0.01)
    assert told["missed_promises"] <= 0.05
    assert told["peak_replicas"] <= 150
    pool = told["pools"]["l4"]
    assert told["replica_hours"] < 1.15 * pool["work_hours"]
    assert pool["max_turns_in_a_window"] <= 1


def test_a_spike_that_nobody_foresaw_is_absorbed() -> None:
    told = simulate("--scenario", "diurnal-spike")
    assert told["missed_promises"] <= 0.01
    assert told["policy"] == "ours"


def test_a_trace_and_a_price_list_of_ones_own(trace: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(PRICES)
    told = simulate("--trace", str(trace), "--prices", str(prices))
    assert told["requests"] == 3600
    assert told["cost"] == pytest.approx(3 * told["replica_hours"])
    # It works twice as fast.
    assert told["pools"]["pool"]["work_hours"] == pytest.approx(0.75)


def test_a_trace_of_several_pools_with_times_of_day(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    rows = [{"at": f"2026-03-01T10:{n // 60:02}:{n % 60:02}Z", "model": "ab"[n % 2], "work_s": 1} for n in range(600)]
    file.write_text("\n".join(map(json.dumps, reversed(rows))))
    told = simulate("--trace", str(file), "--policy", "static")
    assert {name: pool["requests"] for name, pool in told["pools"].items()} == {"a": 300, "b": 300}


MODELS = {
    "ocr": {"memory_mb": 300, "load_s": 5},
    "embed": {"memory_mb": 100, "load_s": 2, "batch": {"fixed_s": 0.02, "row_s": 0.002}},
}


@pytest.fixture
def mixed(tmp_path: Path) -> tuple[str, ...]:
    """A trace of two models and three tenants, and what its models are."""
    lines = ["at,work_s,model,tenant,priority"]
    lines += [
        f"{n / 2},1.0,{'ocr' if n % 3 else 'embed'},tenant-{n % 3},{'bulk' if n % 5 else ''}" for n in range(3000)
    ]
    file, models = tmp_path / "mixed.csv", tmp_path / "models.json"
    file.write_text("\n".join(lines))
    models.write_text(json.dumps(MODELS))
    return "--trace", str(file), "--models", str(models)


def test_models_that_share_a_pool_take_turns_in_its_memory(mixed: tuple[str, ...], tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    node = {"price_per_hour": 1, "start_s": 30, "load_s": 5, "slots": 4}
    prices.write_text(json.dumps({"large": node, "small": {**node, "memory_mb": 320}}))
    large, small = (
        simulate(*mixed, "--prices", str(prices), "--node", name, "--policy", "reactive") for name in ("large", "small")
    )
    assert [told["pools"]["pool"]["requests"] for told in (large, small)] == [3000, 3000]
    assert large["missed_promises"] == 0
    # Where both do not fit, they are loaded again and again, or live on different replicas.
    assert (small["cost"], small["p95_wait_s"]) > (large["cost"], large["p95_wait_s"])


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ('{"ocr": {}}', "request 1: the model 'embed' is not described. Known are ocr"),
        ("[]", "is not a JSON object of models"),
        ("{}", "has no models"),
        ('{"ocr": {"memory": 3}}', "unknown field `memory`"),
        ('{"ocr": {"load_s": -1}}', "ocr: load_s must be a number of at least 0"),
        ('{"ocr": {"batch": {"fixed_s": 0, "row_s": 0}}}', "ocr: a batch must take some time"),
    ],
)
def test_models_that_cannot_be_read_say_why(mixed: tuple[str, ...], tmp_path: Path, models: str, said: str) -> None:
    (tmp_path / "models.json").write_text(models)
    with pytest.raises(CommandError, match=said):
        simulate(*mixed)


def test_models_without_a_trace_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--models describes the models of a --trace"):
        simulate("--scenario", "founding", "--models", str(tmp_path / "models.json"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("at,work_s,priority\n1,2,urgent\n", "request 1: the priority must be one of interactive, standard, bulk"),
        ("", "names nothing"),
        ("when,work_s\n1,2\n", "has no column of times"),
        ("at,work_s\n", "has no requests"),
        ("at,work_s\nyesterday,2\n", "request 1 has no time: 'yesterday'"),
        ("at,work_s\n1,-2\n", "request 1: the work must be a number of seconds above 0, not '-2'"),
        ("at\n1\n", "request 1 has no work_s"),
        ("at,work_s\nnan,1\n", "request 1 has no time"),
        ("at,work_s\n1,1\n2026-03-01T10:00:00Z,1\n", "days, and 400 are simulated at most"),
        ("at,work_s\n1774000000000,1\n", "request 1: the time '1774000000000' is not in seconds"),
        ('[{"at": 1, "work_s": 1}]', "is a JSON array. Write JSON lines"),
        ('at,work_s\n1,"' + 200_000 * "2", "is not CSV: field larger than field limit"),
        ('{"at": 1}\n{"at": \n', "line 2 is not a JSON object"),
    ],
)
def test_a_trace_that_cannot_be_read_says_why(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "trace"
    file.write_text(content)
    work = ("--work-s", "1") if said.startswith("line 2") else ()
    with pytest.raises(CommandError, match=said.replace("(", r"\(")):
        simulate("--trace", str(file), *work)


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ("[]", "is not a JSON object of node types"),
        ('{"a": {"price_per_hour": 1, "start_s": 1}}', "a has no 'load_s'"),
        ('{"a": {"price_per_hour": -1, "start_s": 1, "load_s": 1}}', "price_per_hour must be a number of at least 0"),
        ('{"a": {"price_per_hour": 1, "start_s": 1, "load_s": 1, "speed": 0}}', "speed must be above 0"),
        ('{"a": {"price": 1}}', "a has 'price'"),
        ('{"a": {"price_per_hour": 1, "start_s": 1, "load_s": 1, "slots": 1.5}}', "slots a whole number of at least 1"),
        ("{}", "has no node type"),
    ],
)
def test_a_price_list_that_cannot_be_read_says_why(trace: Path, tmp_path: Path, prices: str, said: str) -> None:
    file = tmp_path / "prices.json"
    file.write_text(prices)
    with pytest.raises(CommandError, match=said):
        simulate("--trace", str(trace), "--prices", str(file))


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--spike", "1"), "a spike must be a multiple above 1"),
        (("--spike", "nan"), "a spike must be a multiple above 1"),
        (("--promise-share", "1"), "must be between 0 and 1"),
        (("--promise-wait-s", "inf"), "must be a number of seconds above 0, not inf"),
        (("--work-s", "nan"), "must be a number above 0, not 'nan'"),
        (("--up", "0"), "must be at least 1"),
        (("--seed", "-1"), "must be a whole number of at least 0, not '-1'"),
    ],
)
def test_terms_that_mean_nothing_are_refused(trace: Path, option: tuple[str, str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        simulate("--trace", str(trace), *(("=".join(option),)))


def test_prices_of_ones_own_are_those_of_the_scenario_or_refused(tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(PRICES)
    with pytest.raises(CommandError, match=r"diurnal-spike runs on l4, which .* does not have"):
        simulate("--scenario", "diurnal-spike", "--prices", str(prices))
    told = simulate("--scenario", "diurnal-spike", "--prices", str(prices), "--node", "mine")
    assert told["cost"] == pytest.approx(3 * told["replica_hours"])


def test_names_with_spaces_and_lists_with_a_mark_are_read(tmp_path: Path) -> None:
    file, prices = tmp_path / "trace.csv", tmp_path / "prices.json"
    file.write_text("at, work_s\n1, 2\n3, 2\n")
    prices.write_bytes(b"\xef\xbb\xbf" + PRICES.encode())
    assert simulate("--trace", str(file), "--prices", str(prices))["requests"] == 2


def test_work_that_runs_at_the_end_is_paid_for(tmp_path: Path) -> None:
    file = tmp_path / "trace.csv"
    file.write_text("at,work_s\n0,7200\n1,7200\n")
    told = simulate("--trace", str(file), "--policy", "static")
    assert told["replica_hours"] >= 4.0


def test_an_autoscaler_says_whether_it_misses_as_few(trace: Path) -> None:
    pool = simulate("--trace", str(trace), "--policy", "hpa")["pools"]["pool"]
    assert pool["equal_misses"] in (True, False)
    assert pool["target_wait_s"] > 0


def test_the_table_says_what_a_reader_must_know() -> None:
    out = StringIO()
    call_command("simulate", "--scenario", "diurnal-spike", "--verbosity=0", stdout=out)
    assert "a replica costs 0.8 an hour, and works 140 s after its order" in out.getvalue()


def test_an_unknown_node_type_is_named(trace: Path) -> None:
    with pytest.raises(CommandError, match=r"there is no node type 'tpu'\. Known are a100, cpu, l4, l4-spot"):
        simulate("--trace", str(trace), "--node", "tpu")
