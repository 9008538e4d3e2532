"""The JSON of a decision on a pool, as operators and autoscalers read it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from inference.registry.models import ScalingTerms
from inference.scaling.signal import CALLS, PoolSignal
from inference.scaling.steering import Decision


def pool_json(
    signal: PoolSignal,
    terms: ScalingTerms,
    decision: Decision,
    *,
    wanted: int,
    due_in: Sequence[float],
    lead_s: float,
    now_s: float,
) -> dict[str, Any]:
    return {
        "object": "scaling_pool",
        "pool": signal.pool,
        "at": datetime.fromtimestamp(now_s, UTC).isoformat(),
        "mode": terms.mode,
        "wanted": wanted,
        "decided": decision.replicas,
        "needed": decision.wanted.needed,
        "ready": signal.ready,
        "starting": signal.starting,
        "due_in_s": [round(due_s, 1) for due_s in due_in],
        "waiting_work_s": round(signal.waiting_work_s, 3),
        "running_work_s": round(signal.running_work_s, 3),
        "calls_work_s": round(sum(part.work_s for part in signal.parts if part.kind == CALLS), 3),
        "oldest_wait_s": round(signal.oldest_wait_s, 3),
        "work_s_per_s": signal.ready,
        "load_s": round(signal.load_s, 3),
        "lead_s": round(lead_s, 3),
        "predicted": decision.is_predicted,
        "reasons": list(decision.wanted.reasons),
        "parts": [
            {
                "kind": part.kind,
                "priority": part.priority,
                "pieces": part.pieces,
                "held": part.held,
                "work_s": round(part.work_s, 3),
                "oldest_wait_s": round(part.oldest_wait_s, 3),
            }
            for part in signal.parts
        ],
        "models": [
            {
                "model": model.key,
                "waiting": model.waiting,
                "running": model.running,
                "work_s": round(model.work_s, 3),
                "seconds_each": round(model.piece_s, 6),
                "load_s": round(model.load_s, 3),
            }
            for model in signal.models
        ],
    }
