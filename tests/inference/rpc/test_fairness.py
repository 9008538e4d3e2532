"""Test the order in which tenants are served."""

from inference.rpc import LaneClient
from tests.inference.rpc.conftest import Caller, Model, StartReader, call_of, wait_in_lane


def test_a_flood_of_one_tenant_lets_another_in_within_a_batch(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str, url: str
) -> None:
    slots = 4
    flood = [Caller(client, model_key, f"a{n}", call_of("a")) for n in range(40)]
    wait_in_lane(url, model_key, 40)
    single = Caller(client, model_key, "b", call_of("b"))
    wait_in_lane(url, model_key, 41)
    start_reader(slots)
    for caller in [*flood, single]:
        assert caller.done().error is None
    assert model.tenants().index("b") < 2 * slots


def test_a_tenant_of_large_requests_gets_no_more_than_one_of_small_ones(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str, url: str
) -> None:
    first = Caller(client, model_key, "first", call_of("c"))
    wait_in_lane(url, model_key, 1)
    callers = [Caller(client, model_key, "word " * 512, call_of("large")) for _ in range(10)]
    wait_in_lane(url, model_key, 11)
    callers += [Caller(client, model_key, "word", call_of("small")) for _ in range(10)]
    wait_in_lane(url, model_key, 21)
    start_reader(slots=1)
    for caller in [first, *callers]:
        assert caller.done().error is None
    # Each large request costs eleven times as much, so ten small ones cost less than a large one.
    assert model.tenants()[1:12].count("small") == 10


def test_what_a_tenant_asks_first_is_taken_first(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str, url: str
) -> None:
    callers = []
    for number in range(8):
        callers.append(Caller(client, model_key, str(number), call_of()))
        wait_in_lane(url, model_key, number + 1)
    start_reader(slots=1)
    for caller in callers:
        caller.done()
    assert model.texts() == list("01234567")


def test_a_busy_lane_starves_no_other(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str, url: str
) -> None:
    quiet = f"{model_key}0"
    flood = [Caller(client, model_key, "busy", call_of(str(number))) for number in range(30)]
    wait_in_lane(url, model_key, 30)
    single = Caller(client, quiet, "quiet", call_of())
    wait_in_lane(url, quiet, 1)
    reader = start_reader(slots=1)
    reader.set_lanes([model_key, quiet])
    for caller in [*flood, single]:
        assert caller.done().error is None
    assert model.texts().index("quiet") < 15
