"""The metrics of cells, on the port of the leading scheduler."""

from prometheus_client import Gauge

from tenants.cells.cells import Cells
from tenants.cells.models import PeerCell
from tenants.core.db.clock import database_now

REACHABLE = Gauge("maas_cell_reachable", "Whether another cell answered when it was asked last.", ["cell"])
EXPORT_AGE = Gauge(
    "maas_cell_export_age_seconds", "Seconds since the applied export was last known to be the control cell's newest."
)
REFUSED = Gauge("maas_cell_refused_parts", "Parts of the applied export that this cell refused.")


def tell_metrics(cells: Cells) -> None:
    """Set the metrics from what is remembered, in operator work."""
    now = database_now()
    for peer in PeerCell.objects.all():
        REACHABLE.labels(cell=peer.name).set(peer.away_since is None)
        if peer.name == cells.control and peer.confirmed_at is not None:
            EXPORT_AGE.set((now - peer.confirmed_at).total_seconds())
            REFUSED.set(len(peer.refused))
