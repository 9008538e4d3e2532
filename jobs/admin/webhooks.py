"""The operator's view of webhooks: endpoints that fail, messages that were sent to them, and actions that help."""

from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from jobs.admin.records import ActsForTenants, acting_for
from jobs.webhooks.models import WebhookDelivery, WebhookEndpoint
from jobs.webhooks.services import change_endpoint, replay_delivery
from tenants.admin_base.columns import column, two_lines
from tenants.admin_base.confirmation import confirmed
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import NOTHING, ago, link, short
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity

ATTEMPTS_SHOWN = 30


class _WebhookAdmin(ActsForTenants):
    def has_act_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm(f"jobs.change_{self.opts.model_name}"))


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(_WebhookAdmin):
    list_display = ("to_url", "state_badge", "owner", "hears", "failing", "created")
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("kind", ChoicesDropdownFilter),
        ("tenant", AutocompleteSelectFilter),
    )
    fields = (
        "url",
        "kind",
        "state_badge",
        "owner",
        "hears",
        "description",
        "disabled_reason",
        "disabled_at",
        "succeeded_at",
        "failing_since",
        "given_up",
        "failures",
        "paused_until",
        "not_before",
        "id",
        "created_at",
    )
    actions = ("disable", "enable")
    services_tell = True

    def row_actions(self, row: WebhookEndpoint) -> list[str]:
        if row.kind != WebhookEndpoint.Kind.ENDPOINT:
            return []
        offered = {WebhookEndpoint.State.ENABLED: ["disable"], WebhookEndpoint.State.DISABLED: ["enable"]}
        return offered.get(WebhookEndpoint.State(row.state), [])

    @column(_("URL"), order_by="url")
    def to_url(self, endpoint: WebhookEndpoint) -> str:
        return endpoint.url

    @column(_("events"))
    def hears(self, endpoint: WebhookEndpoint) -> str:
        return ", ".join(endpoint.events) or NOTHING

    @column(_("failing since"))
    def failing(self, endpoint: WebhookEndpoint) -> str:
        return ago(endpoint.failing_since) if endpoint.failing_since else NOTHING

    @admin.action(description=_("Disable"), permissions=["act"])
    @confirmed(
        _("Disable these webhooks?"),
        _("Nothing is sent to them until you enable them again. Pending deliveries fail."),
        _("Disable webhooks"),
    )
    def disable(self, request: HttpRequest, endpoints: "QuerySet[WebhookEndpoint]") -> None:
        self._switch(request, endpoints, enabled=False)

    @admin.action(description=_("Enable"), permissions=["act"])
    def enable(self, request: HttpRequest, endpoints: "QuerySet[WebhookEndpoint]") -> None:
        self._switch(request, endpoints, enabled=True)

    def _switch(self, request: HttpRequest, endpoints: "QuerySet[WebhookEndpoint]", *, enabled: bool) -> None:
        def switch(row: WebhookEndpoint) -> None:
            _switch_one(acting_for(row, request), row.pk, enabled=enabled)

        self.act_on_each(request, endpoints, switch, "Enabled" if enabled else "Disabled")


def _switch_one(identity: Identity, endpoint_id: UUID, *, enabled: bool) -> None:
    before = WebhookEndpoint.objects.filter(id=endpoint_id).values_list("state", flat=True).first()
    wanted = WebhookEndpoint.State.ENABLED if enabled else WebhookEndpoint.State.DISABLED
    if before == wanted:
        raise InvalidRequest(f"This webhook is already {wanted}.")
    change_endpoint(identity=identity, endpoint_id=endpoint_id, enabled=enabled)


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(_WebhookAdmin):
    list_display = ("named", "state_badge", "owner", "address", "attempts_made", "error_code", "created")
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("tenant", AutocompleteSelectFilter),
        ("created_at", CreatedFilter),
    )
    fields = (
        "named",
        "state_badge",
        "owner",
        "address",
        "job_link",
        "body",
        "attempts_made",
        "tries",
        "next_attempt_at",
        "error_code",
        "id",
        "created_at",
        "ended_at",
    )
    actions = ("replay",)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[WebhookDelivery]":
        rows: QuerySet[WebhookDelivery] = super().get_queryset(request)
        return rows.select_related("tenant", "message", "endpoint")

    def row_actions(self, row: WebhookDelivery) -> list[str]:
        return ["replay"] if row.endpoint.state == WebhookEndpoint.State.ENABLED else []

    @column(_("message"))
    def named(self, delivery: WebhookDelivery) -> str:
        return two_lines(delivery.message.type, delivery.message.webhook_id)

    @column(_("URL"))
    def address(self, delivery: WebhookDelivery) -> str:
        return link("jobs_webhookendpoint", delivery.endpoint_id, delivery.url or delivery.endpoint.url)

    @column(_("job"))
    def job_link(self, delivery: WebhookDelivery) -> str:
        job_id = delivery.message.job_id
        return link("jobs_job", job_id, short(job_id)) if job_id else NOTHING

    @column(_("body"))
    def body(self, delivery: WebhookDelivery) -> str:
        """Return the message's body. It has the job's ids, states and numbers, but no content of a document."""
        return delivery.message.body

    @column(_("attempts"))
    def tries(self, delivery: WebhookDelivery) -> SafeString | str:
        """List the attempts without the receiver's responses, which are for the receiver and its tenant only."""
        attempts = delivery.attempts.order_by("-number")[:ATTEMPTS_SHOWN]
        rows = (
            (
                attempt.number,
                ago(attempt.started_at),
                attempt.duration_ms,
                attempt.error_code or attempt.status,
            )
            for attempt in attempts
        )
        return format_html_join("", "<div>{}. {}, {} ms: {}</div>", rows) or NOTHING

    @admin.action(description=_("Send again"), permissions=["act"])
    def replay(self, request: HttpRequest, deliveries: "QuerySet[WebhookDelivery]") -> None:
        self.act_on_each(
            request,
            deliveries,
            lambda row: replay_delivery(identity=acting_for(row, request), delivery_id=row.pk),
            "Sent again",
        )
