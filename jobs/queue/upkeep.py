"""The scheduler's duties for the queue: it notifies workers, takes pages back from dead workers, and counts."""

import structlog
from django.db import connections

from inference.registry.selectors import served_versions
from inference.tiers.routes import version_of_queue
from inference.workers.brokers import BrokerUnavailable
from inference.workers.placement.fleet import added_up
from jobs.events.broker import messages_set_aside, with_long_timeout
from jobs.queue.demand import pages_demand
from jobs.queue.metrics import DEAD_LETTERS, QUEUE_AGE, QUEUED_PAGES, SWEPT
from jobs.queue.queued_pages import queued_pages
from jobs.queue.release import release_after_commit, waiting_versions
from jobs.queue.sweeper import sweep_expired_leases
from tenants.core.db.unit_of_work import OPERATOR

log = structlog.get_logger(__name__)

_VERSIONS = """
SELECT v.id, m.name || coalesce('.' || replace(m.tenant_id::text, '-', ''), '') || '@' || v.number
FROM inference_modelversion v JOIN inference_servedmodel m ON m.id = v.served_model_id WHERE v.state = 'ready'
"""


def release_waiting() -> None:
    """Release the waiting pages of all versions. A broker that hangs is waited for once in a round."""
    with with_long_timeout():
        for version_id, key in waiting_versions():
            release_after_commit(version_id, key)


def sweep() -> None:
    taken = sweep_expired_leases()
    if taken:
        SWEPT.inc(taken)


def count_dead_letters() -> None:
    with with_long_timeout():
        for version in served_versions():
            try:
                DEAD_LETTERS.labels(model=version.engine_key).set(messages_set_aside(version.queue_name))
            except BrokerUnavailable as error:
                log.warning("broker_unavailable", queue=version.queue_name, error=str(error))
                return


def count_queued() -> None:
    demand = added_up((version_of_queue(key), waiting) for key, waiting in pages_demand().items())
    queued = queued_pages()
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_VERSIONS)
        for version_id, key in cursor.fetchall():
            QUEUED_PAGES.labels(model=key).set(queued.get(version_id, 0))
            QUEUE_AGE.labels(model=key).set(demand[key].oldest_s if key in demand else 0.0)
