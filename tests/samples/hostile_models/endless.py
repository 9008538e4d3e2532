"""Models that compute without end, or fill memory: always, or for the inputs of a call."""

from collections.abc import Iterator, Mapping
from functools import partial

from tests.samples.hostile_models.building import FOREVER, Feeds, HostileModel, of_text

ENDLESS = f"<int64 turns = {{{FOREVER}}}, bool go = {{1}}>"
TURN = "Loop <body = turn (int64 i, bool c, float[k] v) => (bool d, float[j] w)"


def looping(*, hidden: bool, body: str = "w = Neg(v)") -> bytes:
    """Return a loop without end: always, or only for the inputs of a call if it is hidden."""
    if hidden:
        return of_text(
            f"g (int64[1] times, float[n] x) => (float[m] y) <bool go = {{1}}> {{ turns = Squeeze(times)"
            f" y = {TURN} {{ d = Identity(c) {body} }}> (turns, go, x) }}"
        )
    return of_text(
        f"g (float[n] x) => (float[m] y) {ENDLESS} {{ y = {TURN} {{ d = Identity(c) {body} }}> (turns, go, x) }}"
    )


def patient(turns: int) -> bytes:
    """Return a model that takes a while: about a second for a million turns."""
    return of_text(
        f"g (float[n] x) => (float[n] y) <int64 turns = {{{turns}}}, bool go = {{1}}> {{ y = Loop"
        " <body = turn (int64 i, bool c, float[n] v) => (bool d, float[n] w) { d = Identity(c) w = Neg(v) }>"
        " (turns, go, x) }"
    )


def nested_loops() -> bytes:
    inner = "Loop <body = t (int64 j, bool e, float[n] a) => (bool f, float[n] b) { f = Identity(e) b = Neg(a) }>"
    return of_text(
        "g (int64[1] times, float[n] x) => (float[n] y) <bool go = {1}> { turns = Squeeze(times)"
        " y = Loop <body = turn (int64 i, bool c, float[n] v) => (bool d, float[n] w)"
        f" {{ d = Identity(c) w = {inner} (turns, c, v) }}> (turns, go, x) }}"
    )


def hostile_branches() -> bytes:
    filled = "ConstantOfShape <value = float[1] {1.0}> (size)"
    return of_text(
        "g (int64[1] size, float[n] x) => (float[m] y) <float zero = {0.0}> { s = ReduceSum <keepdims = 0> (x)"
        f" c = Greater(s, zero) y = If <then_branch = a () => (float[p] t) {{ t = {filled} }},"
        f" else_branch = b () => (float[q] u) {{ r = {filled} u = Concat <axis = 0> (r, r) }}> (c) }}"
    )


def filling(op: str, *, opset: int = 20) -> bytes:
    """Return a model whose input says how much it makes."""
    return of_text(f"g (int64[1] size) => (float[m] y) <float[1] one = {{1.0}}> {{ {op} }}", opset=opset)


FULL: Feeds = {"size": ("INT64", [1], [5_000_000_000])}
OVER: Feeds = {"size": ("INT64", [1], [2**62])}
BELOW: Feeds = {"size": ("INT64", [1], [-(2**62)])}
ENDLESSLY: Feeds = {"times": ("INT64", [1], [FOREVER])}
FILLED = "y = ConstantOfShape <value = float[1] {1.0}> (size)"


def _fillers() -> Iterator[tuple[str, HostileModel]]:
    for what, feeds in (("20 GB", FULL), ("2^62 values", OVER), ("fewer than no values", BELOW)):
        yield f"output of {what}", HostileModel(lambda: filling(FILLED), feeds)
        yield f"expansion to {what}", HostileModel(lambda: filling("y = Expand(one, size)"), feeds)
        yield f"tiles of {what}", HostileModel(lambda: filling("y = Tile(one, size)"), feeds)
    made = {
        "range": "z = Constant<value_int = 0>() s = Squeeze(size) o = Constant<value_int = 1>() r = Range(z, s, o)"
        " y = Cast<to = 1>(r)",
        "padding": "z = Constant<value_ints = [0]>() p = Concat<axis = 0>(z, size) y = Pad(one, p)",
        "one-hot table": "v = Constant<value_floats = [0.0, 1.0]>() i = Constant<value_ints = [0]>()"
        " h = OneHot(i, size, v) y = Flatten<axis = 0>(h)",
        "zoom": 'y = Resize<mode = "nearest">(one, , , size)',
        "noise": "e = ConstantOfShape <value = float[1] {1.0}> (size) y = RandomNormalLike(e)",
        "list of positions": "e = ConstantOfShape <value = float[1] {1.0}> (size) p = NonZero(e) y = Cast<to = 1>(p)",
    }
    for what, op in made.items():
        yield f"{what} of 20 GB", HostileModel(partial(filling, op), FULL)
    yield (
        "output of 20 GB always",
        HostileModel(
            lambda: of_text(
                "g (float[n] x) => (float[m] y) <int64[1] size = {5000000000}>"
                " { f = ConstantOfShape <value = float[1] {1.0}> (size) y = Concat <axis = 0> (f, x) }"
            )
        ),
    )
    yield "both branches", HostileModel(hostile_branches, FULL)


ENDLESS_RUNS: Mapping[str, HostileModel] = {
    "endless loop": HostileModel(lambda: looping(hidden=False), slow=True),
    "hidden endless loop": HostileModel(lambda: looping(hidden=True), ENDLESSLY, slow=True),
    "nested endless loops": HostileModel(nested_loops, ENDLESSLY, slow=True),
    "loop that fills memory": HostileModel(lambda: looping(hidden=False, body="w = Concat<axis = 0>(v, v)")),
    "hidden loop that fills memory": HostileModel(
        lambda: looping(hidden=True, body="w = Concat<axis = 0>(v, v)"), ENDLESSLY
    ),
    "scan that writes much": HostileModel(
        lambda: of_text(
            "g (float[n] x, int64[1] size) => (float[n] s, float[n, m] y) <float zero = {0.0}>"
            " { z = Mul(x, zero) s, y = Scan<num_scan_inputs = 1,"
            " body = b (float[n] a, float e) => (float[n] c, float[k] d)"
            " { c = Identity(a) d = ConstantOfShape(size) }> (z, x) }"
        ),
        {"x": ("FP32", [8], [1.0] * 8), "size": ("INT64", [1], [1_000_000_000])},
    ),
    **dict(_fillers()),
}
