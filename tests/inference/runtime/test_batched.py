import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inference.batching.batcher import Piece
from inference.batching.limits import BatchLimits
from inference.batching.run_control import RunControl
from inference.calls import Call
from inference.runtime import batched
from inference.runtime.batched import Part, SessionBatchers
from inference.runtime.hosted_session import HostedSession
from tests.inference.runtime.graphs import save_adder
from tests.inference.runtime.hosts import host


def two_ms_of_work(
    session: HostedSession, payloads: Sequence[Any], length: int, control: RunControl
) -> list[Any]:
    until_s = time.process_time() + 0.002
    while time.process_time() < until_s:
        pass
    return list(payloads)


def test_what_a_models_batches_cost_is_known_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batched, "KEEP_FIT_EVERY_S", 0.0)
    path, sessions = save_adder(tmp_path / "a.onnx"), host()

    def kept_after(runs: int) -> tuple[int, int]:
        """Observations of time and of work; a run keeps what those before it have taught."""
        batchers = SessionBatchers(sessions)
        with sessions.session(path) as session:
            for _ in range(runs):
                batchers.run(
                    session,
                    [Piece(1)],
                    two_ms_of_work,
                    of=Part("a@1", "weights"),
                    limits=BatchLimits(),
                    call=Call(),
                )
        profile = sessions.profile(path)
        assert profile is not None
        return profile.fit["observations"], profile.fit["work"]["observations"]

    assert kept_after(3) == (2, 2)
    assert kept_after(1) == (2, 2)
    sessions.learn(path, fit={"form": 1, "observations": 0, "sizes": [], "work": "of another release"})
    assert kept_after(2) == (1, 1)
