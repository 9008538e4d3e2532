"""The operator's view of batches and their files: the progress of each, and a way to end one."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from jobs.admin.records import ActsForTenants, WorkAdmin, acting_for
from jobs.batches import states
from jobs.batches.ids import BATCH, shown
from jobs.batches.models import Batch, StoredFile
from jobs.batches.services import cancel_batch
from tenants.admin_base.columns import badge, column, state_text, two_lines
from tenants.admin_base.confirmation import confirmed
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import NOTHING, at, between, link_to, short, size
from tenants.billing.dashboard.money import shown_money
from tenants.core.errors import InvalidRequest


@admin.register(Batch)
class BatchAdmin(ActsForTenants):
    list_display = ("named", "state_badge", "lines", "owner", "version", "ran", "cost", "created")
    list_filter = (
        ("status", ChoicesDropdownFilter),
        ("tenant", AutocompleteSelectFilter),
        ("created_at", CreatedFilter),
    )
    list_select_related = ("tenant", "model_version__served_model")
    fields = (
        "id",
        "state_badge",
        "owner",
        "endpoint",
        "version",
        "lines",
        "tokens",
        "cost",
        "ran",
        "mode",
        "input_file_id",
        "output_file_id",
        "error_file_id",
        "request_id",
        "created_at",
        "expires_at",
    )
    actions = ("cancel",)

    def in_words(self, row: Batch) -> str:
        return f"batch {short(row.id)} of {row.tenant.name}, {state_text(row.status)}"

    def row_actions(self, row: Batch) -> list[str]:
        return ["cancel"] if row.status in states.CANCELLABLE else []

    @column(_("batch"), order_by="id")
    def named(self, batch: Batch) -> str:
        return two_lines(batch.endpoint, short(batch.id))

    @column(_("state"))
    def state_badge(self, batch: Batch) -> str:
        return badge(batch.status)

    @column(_("lines"))
    def lines(self, batch: Batch) -> str:
        failed = f", {batch.lines_failed:,} failed" if batch.lines_failed else ""
        return f"{batch.lines_done:,} / {batch.lines_total:,}{failed}"

    @column(_("model"))
    def version(self, batch: Batch) -> str:
        return link_to(batch.model_version)

    @column(_("duration"))
    def ran(self, batch: Batch) -> str:
        return between(batch.created_at, batch.finished_at)

    @column(_("cost"))
    def cost(self, batch: Batch) -> str:
        return shown_money(batch.cost_micros, batch.price["currency"]) if batch.price else NOTHING

    def has_act_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("jobs.change_batch"))

    @admin.action(description=_("Cancel"), permissions=["act"])
    @confirmed(
        _("Cancel these batches?"),
        _("Waiting lines do not start. Finished lines are kept and charged. You cannot resume a canceled batch."),
        _("Cancel batches"),
    )
    def cancel(self, request: HttpRequest, batches: "QuerySet[Batch]") -> None:
        self.act_on_each(request, batches, lambda batch: _cancel(batch, request), "Canceled")


def _cancel(batch: Batch, request: HttpRequest) -> None:
    if batch.status not in states.CANCELLABLE:
        raise InvalidRequest(f"This batch has already ended ({state_text(batch.status)}), so it cannot be canceled.")
    cancel_batch(identity=acting_for(batch, request), batch_id=shown(BATCH, batch.id))


@admin.register(StoredFile)
class StoredFileAdmin(WorkAdmin):
    """The operator's view of files. The content of a file belongs to its tenant alone."""

    list_display = ("name", "owner", "purpose", "weighs", "created", "expires")
    list_filter = (
        ("tenant", AutocompleteSelectFilter),
        ("purpose", ChoicesDropdownFilter),
        ("created_at", CreatedFilter),
    )
    fields = ("name", "owner", "purpose", "weighs", "sha256", "mode", "id", "created_at", "expires_at")

    @column(_("size"))
    def weighs(self, stored: StoredFile) -> str:
        return size(stored.size_bytes)

    @column(_("expires"))
    def expires(self, stored: StoredFile) -> str:
        return at(stored.expires_at) if stored.expires_at else NOTHING
