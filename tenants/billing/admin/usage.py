"""The operator's view of usage and of the prices it was charged at."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from tenants.admin_base.columns import column
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import ago, link, short
from tenants.admin_base.records import RecordAdmin
from tenants.billing.admin.fields import OfTenant
from tenants.billing.dashboard.money import shown_money
from tenants.billing.usage.models import UsageRecord
from tenants.plans.wording import used_words

PAGE = "page"


@admin.register(UsageRecord)
class UsageRecordAdmin(OfTenant, RecordAdmin):
    id_fields = ("id", "tenant_id", "source_id")
    search_help_text = _("Whole ID or tenant")
    list_display = ("when", "owner", "model_version", "used", "amount", "source", "mode")
    list_filter = (("tenant", AutocompleteSelectFilter), ("created_at", CreatedFilter))
    ordering = ("-id",)
    fields = (
        *("owner", "source", "model_version", "used", "amount", "price"),
        *("mode", "created_at", "id", "source_id"),
    )

    @column(_("time"), order_by="id")
    def when(self, record: UsageRecord) -> str:
        return ago(record.created_at)

    @column(_("model"))
    def model_version(self, record: UsageRecord) -> str:
        return f"{record.model}@{record.version}"

    @column(_("quantity"))
    def used(self, record: UsageRecord) -> str:
        return used_words(record.quantity, record.meter)

    @column(_("amount"))
    def amount(self, record: UsageRecord) -> str:
        return shown_money(record.amount_micros, record.currency)

    @column(_("source"))
    def source(self, record: UsageRecord) -> str:
        text = f"{record.source_kind} {short(record.source_id)}"
        return link("jobs_page", record.source_id, text) if record.source_kind == PAGE else text
