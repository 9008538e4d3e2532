"""The report of this cell to the others: what it has applied, and the figures that the operator sees."""

from datetime import UTC, datetime
from typing import Any

from django.conf import settings

from jobs.scaling.published import ScalingUnavailable, published
from tenants.accounts.models import Tenant
from tenants.cells.models import CellExport, PeerCell
from tenants.core.db.unit_of_work import operator_work

Json = dict[str, Any]


def own_report() -> Json:
    """Return the report. The figures of workers are None while nothing is known of them."""
    cells = settings.MAAS_CELLS
    with operator_work():
        accounts = Tenant.objects.exclude(state=Tenant.State.ERASED).count()
        control = PeerCell.objects.filter(name=cells.control).first() if cells.control else None
        own = CellExport.objects.filter(pk=1).values_list("version", "made_at").first()
    return {
        "object": "cell",
        "cell": cells.own,
        "is_control": cells.is_control,
        "at": _text(datetime.now(UTC)),
        "tenants": accounts,
        **_work(),
        **(_own_export(own) if cells.is_control else _applied(control)),
    }


def _work() -> Json:
    try:
        pools = published()
    except ScalingUnavailable:
        return {"workers": None, "waiting_work_s": None}
    return {
        "workers": sum(pool["ready"] for pool in pools),
        "waiting_work_s": round(sum(pool["waiting_work_s"] for pool in pools), 3),
    }


def _own_export(own: tuple[int, datetime] | None) -> Json:
    version, made_at = own or (0, None)
    return {"version": version, "made_at": _text(made_at), "confirmed_at": _text(datetime.now(UTC))} | _NOTHING


def _applied(control: PeerCell | None) -> Json:
    if control is None:
        return {"version": 0, "made_at": None, "confirmed_at": None} | _NOTHING
    return {
        "version": control.version,
        "made_at": _text(control.made_at),
        "confirmed_at": _text(control.confirmed_at),
        "refused": control.refused,
        "refusal": control.refusal,
    }


_NOTHING: Json = {"refused": [], "refusal": ""}


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
