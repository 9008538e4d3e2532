"""Models that are called with inputs which they cannot take: indices, sizes, divisors and texts."""

from collections.abc import Iterator, Mapping

from tests.samples.hostile_models.building import Feeds, HostileModel, of_text


def _wrong_runs() -> Iterator[tuple[str, HostileModel]]:
    ints = "g (int32[n] x, int32[n] by) => (int32[n] y)"
    divided: Feeds = {"x": ("INT32", [2], [1, -(2**31)]), "by": ("INT32", [2], [0, -1])}
    yield "division by zero", HostileModel(lambda: of_text(f"{ints} {{ y = Div(x, by) }}"), divided)
    yield "remainder by zero", HostileModel(lambda: of_text(f"{ints} {{ y = Mod(x, by) }}"), divided)
    far: Feeds = {"i": ("INT64", [2], [10**9, -(10**9)])}
    table = "(int64[n] i) => (float[n] y) <float[4] t = {1.0, 2.0, 3.0, 4.0}>"
    yield "look-up out of range", HostileModel(lambda: of_text(f"g {table} {{ y = Gather(t, i) }}"), far)
    yield (
        "element look-up out of range",
        HostileModel(lambda: of_text(f"g {table} {{ y = GatherElements<axis = 0>(t, i) }}"), far),
    )
    yield (
        "write out of range",
        HostileModel(
            lambda: of_text(
                "g (int64[n] i) => (float[m] y) <float[4] t = {1.0, 2.0, 3.0, 4.0}>"
                " { u = Cast<to = 1>(i) y = ScatterElements<axis = 0>(t, i, u) }"
            ),
            far,
        ),
    )
    shaped: Feeds = {"x": ("FP32", [4], [1.0] * 4), "shape": ("INT64", [3], [0, 2**31, 2**33])}
    yield (
        "reshape to other sizes",
        HostileModel(
            lambda: of_text(
                "g (float[n] x, int64[k] shape) => (float[m] y) { z = Reshape(x, shape) y = Flatten<axis = 0>(z) }"
            ),
            shaped,
        ),
    )
    yield (
        "reshape to nothing",
        HostileModel(
            lambda: of_text(
                "g (float[n] x) => (float[a, b] y) <int64[2] shape = {0, 0}> { y = Reshape<allowzero = 1>(x, shape) }"
            )
        ),
    )
    yield (
        "slice with far ends",
        HostileModel(
            lambda: of_text(
                "g (float[n] x, int64[1] a, int64[1] b, int64[1] step) => (float[m] y)"
                " <int64[1] axis = {0}> { y = Slice(x, a, b, axis, step) }"
            ),
            {"a": ("INT64", [1], [-(2**62)]), "b": ("INT64", [1], [2**62]), "step": ("INT64", [1], [0])},
        ),
    )
    yield (
        "split into negative parts",
        HostileModel(
            lambda: of_text(
                "g (float[n] x, int64[2] parts) => (float[a] y, float[b] z) { y, z = Split<axis = 0>(x, parts) }"
            ),
            {"x": ("FP32", [4], [1.0] * 4), "parts": ("INT64", [2], [-4, 8])},
        ),
    )
    yield (
        "boxes that are no boxes",
        HostileModel(
            lambda: of_text(
                "g (float[1, n, 4] x, float[1, 1, n] scores, int64[1] most) => (int64[m, 3] y)"
                " { y = NonMaxSuppression(x, scores, most) }"
            ),
            {
                "x": ("FP32", [1, 2, 4], [float("3e38")] * 8),
                "scores": ("FP32", [1, 1, 2], [1.0, 2.0]),
                "most": ("INT64", [1], [-(2**60)]),
            },
        ),
    )
    yield (
        "more outputs than declared sizes",
        HostileModel(lambda: of_text("g (float[n, 4] x) => (float[n, 7] y) { y = Relu(x) }")),
    )
    yield (
        "rows that depend on values",
        HostileModel(
            lambda: of_text(
                "g (float[n] x) => (int64[m] y) { z = NonZero(x) f = Constant<value_ints = [-1]>() y = Reshape(z, f) }"
            ),
            {"x": ("FP32", [4], [1.0, 0.0, 1.0, 0.0])},
        ),
    )


def _texts() -> Iterator[tuple[str, HostileModel]]:
    long = "a" * 200_000
    texts = "g (string[n] x) => (bool[n] y)"
    yield (
        "pattern without end",
        HostileModel(
            lambda: of_text(f'{texts} {{ y = RegexFullMatch<pattern = "(a+)+$(b*)*(a|aa)+c">(x) }}'),
            {"x": ("BYTES", [1], [long])},
        ),
    )
    yield (
        "pattern that is too large",
        HostileModel(
            lambda: of_text(f'{texts} {{ y = RegexFullMatch<pattern = "((a{{1000}}){{1000}}){{1000}}">(x) }}')
        ),
    )
    yield "pattern that is none", HostileModel(lambda: of_text(f'{texts} {{ y = RegexFullMatch<pattern = "(((">(x) }}'))
    yield (
        "text cut into letters",
        HostileModel(
            lambda: of_text(
                'g (string[n] x) => (string[n, k] y, int64[n] z) { y, z = StringSplit<delimiter = "a">(x) }'
            ),
            {"x": ("BYTES", [2], [long, long])},
        ),
    )
    yield (
        "unknown language",
        HostileModel(
            lambda: of_text(
                'g (string[n] x) => (string[n] y) { y = StringNormalizer<case_change_action = "LOWER",'
                ' locale = "../../x">(x) }'
            ),
            {"x": ("BYTES", [1], ["A\x00B"])},
        ),
    )
    doubled = " ".join(f"x{n + 1} = StringConcat(x{n}, x{n})" for n in range(30))
    yield (
        "text that doubles",
        HostileModel(
            lambda: of_text(f"g (string[n] x0) => (string[n] x30) {{ {doubled} }}"),
            {"x0": ("BYTES", [1], ["abcdefgh" * 8])},
        ),
    )


CALLS: Mapping[str, HostileModel] = {**dict(_wrong_runs()), **dict(_texts())}
