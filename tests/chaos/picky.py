"""The model of a run. It accepts rows 0 to 3, after a moment long enough to be killed in. Other rows fail in its
code.
"""

from pathlib import Path

from tests.inference.runtime.graphs import save_graph_text

MODEL = "chaos"
GOOD_ROWS = 4
BAD_ROW = 99
PRICE_MICROS, PRICE_OF_HITS_MICROS = 700, 30
SIGNATURE = {
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 1]}],
    "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 1]}],
}
_TURNS = 15_000


def save_picky(path: Path) -> Path:
    return save_graph_text(
        path,
        f"""picky (float[n, 1] x) => (float[n, 1] y)
        <int64 turns = {{{_TURNS}}}, bool go = {{1}}, float[{GOOD_ROWS}] table = {{1.0, 2.0, 3.0, 4.0}},
         float zero = {{0.0}}>
        {{ i = Cast<to = 7>(x) s = Gather(table, i)
           y = Loop <body = turn (int64 i, bool c, float[n, 1] v) => (bool c_out, float[n, 1] v_out)
             {{ c_out = Identity(c) v_out = Add(v, zero) }}> (turns, go, s) }}""",
    )


def tensor(row: int) -> dict[str, object]:
    """Return an input for it, as it is sent."""
    return {"tensors": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [row]}]}
