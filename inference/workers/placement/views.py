"""Conversion of worker reports into the form in which homes are chosen."""

from inference.workers.heartbeats import WorkerReport
from inference.workers.placement.fleet import Held, Worker


def worker_of(report: WorkerReport) -> Worker:
    return Worker(
        name=report.name,
        budget_bytes=report.budget_bytes,
        free_bytes=report.free_bytes,
        files=report.files,
        held={
            model.key: Held(model.held_s, model.idle_s, model.load_s)
            for model in report.models
            if model.key not in report.leaving
        },
        loading=frozenset(report.loading),
        failed=frozenset(report.failed),
        pools=frozenset(report.pools),
        slots=report.threads,
        outstanding=report.outstanding,
        service_s=report.service_s,
        draining=report.draining,
        silent_s=report.silent_s,
        stuck=report.stuck,
    )
