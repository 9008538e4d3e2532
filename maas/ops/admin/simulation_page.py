"""The operator's page of simulations: what traffic would cost with each policy, and how many promises it would miss."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import redis
from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from jobs.simulation.comparison import PolicyName
from jobs.simulation.node_types import EXAMPLES
from jobs.simulation.scenarios import SCENARIOS
from maas.ops.admin.charts import Chart, chart_line, made_chart
from maas.ops.admin.visibility import SCALING, may_see
from maas.ops.simulation_orders import Simulated, SimulationBusy, SimulationOrder, simulated, start
from tenants.core.durations import DAY_S

MAX_POINTS = 240
"""The points of a chart."""
DAYS = (1, 7, 28)
POLICIES: Mapping[str, Any] = {
    PolicyName.OURS: _("This product's policy"),
    PolicyName.REACTIVE: _("The same without last week's traffic"),
    PolicyName.STATIC: _("The smallest fixed number that keeps the promise"),
    PolicyName.HPA: _("The autoscaler of Kubernetes on the time in the queue"),
}
AWAY = _("The durable Redis does not answer, so nothing can be simulated.")


def _example(name: str) -> str:
    kind = EXAMPLES[name]
    return f"{name}: {kind.price_per_hour:.2f} an hour, starts in {kind.start_s:g} s, loads in {kind.load_s:g} s"


class SimulationForm(forms.Form):
    traffic = forms.ChoiceField(label=_("Traffic"))
    node = forms.ChoiceField(label=_("Node type"), choices=[(name, _example(name)) for name in EXAMPLES])
    price_per_hour = forms.FloatField(label=_("Price per hour"), required=False, min_value=0, max_value=10_000)
    start_s = forms.FloatField(label=_("Start of a node, s"), required=False, min_value=0, max_value=7200)
    load_s = forms.FloatField(label=_("Load of its models, s"), required=False, min_value=0, max_value=7200)
    slots = forms.IntegerField(label=_("Pages at once"), required=False, min_value=1, max_value=1024)
    policies = forms.MultipleChoiceField(
        label=_("Policies"), choices=list(POLICIES.items()), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        days = [(f"usage-{count}", _one_or_more_days(count)) for count in DAYS]
        scenarios = [(name, f"{name}: {make().about}") for name, make in SCENARIOS.items()]
        self.fields["traffic"].choices = [(_("This service"), days), (_("Scenarios"), scenarios)]  # type: ignore[attr-defined]

    def order(self) -> SimulationOrder:
        given = self.cleaned_data
        kind, _dash, count = given["traffic"].partition("-")
        source = ("--usage", count) if kind == "usage" else ("--scenario", given["traffic"])
        chosen = {
            name: given[name] for name in ("price_per_hour", "start_s", "load_s", "slots") if given[name] is not None
        }
        node_type = {**asdict(EXAMPLES[given["node"]]), **chosen}
        policies = tuple(PolicyName(name) for name in POLICIES if name in given["policies"])
        return SimulationOrder(source, given["node"], tuple(sorted(node_type.items())), policies)


def _one_or_more_days(count: int) -> Any:
    return _("The last day") if count == 1 else _("The last %(count)s days") % {"count": count}


@dataclass(frozen=True, slots=True)
class PolicyRow:
    policy: Any
    run: Mapping[str, Any] | None
    """Its result, or None if it has yet to come."""
    is_running: bool = False

    @property
    def missed_percent(self) -> float:
        return 100 * float(self.run["missed_promises"]) if self.run else 0.0


@require_http_methods(["GET", "POST"])
def simulation(request: HttpRequest) -> HttpResponse:
    """Show the form and what is known of the order in the address. A POST starts it, and leads to that address."""
    _require_sight(request)
    given = request.POST if request.method == "POST" else request.GET
    form = SimulationForm(given or None, initial={"policies": [PolicyName.OURS.value, PolicyName.STATIC.value]})
    context: dict[str, Any] = {"form": form, "problem": ""}
    if form.is_valid():
        order = form.order()
        if request.method == "POST":
            try:
                start(order)
                return HttpResponseRedirect(f"{reverse('admin-simulation')}?{_query(given)}")
            except (SimulationBusy, redis.RedisError) as error:
                context["problem"] = str(error) if isinstance(error, SimulationBusy) else AWAY
        context |= {"query": _query(given), **_shown(order)}
    return render(
        request,
        "admin/simulation/page.html",
        {**admin.site.each_context(request), "title": _("Simulation"), **context},
    )


@require_GET
def simulation_live(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    form = SimulationForm(request.GET)
    return render(request, "admin/simulation/live.html", _shown(form.order()) if form.is_valid() else {})


@require_GET
def simulation_json(request: HttpRequest) -> HttpResponse:
    """Return the results as the command prints them, a policy each."""
    _require_sight(request)
    form = SimulationForm(request.GET)
    try:
        state = simulated(form.order()) if form.is_valid() else None
    except redis.RedisError:
        return JsonResponse({"problem": str(AWAY)}, status=503)
    if state is None:
        return JsonResponse({"problem": "This was not simulated."}, status=404)
    return JsonResponse({"running": state.running or None, "problem": state.problem or None, "runs": state.runs})


def _query(given: Any) -> str:
    kept = given.copy()
    kept.pop("csrfmiddlewaretoken", None)
    return str(kept.urlencode())


def _shown(order: SimulationOrder) -> dict[str, Any]:
    try:
        state = simulated(order)
    except redis.RedisError:
        return {"state": Simulated(problem=str(AWAY)), "rows": [], "charts": {}}
    if state is None:
        return {"state": None, "rows": [], "charts": {}}
    by_policy = {run["policy"]: run for run in state.runs}
    rows = [
        PolicyRow(POLICIES[policy], by_policy.get(policy.value), is_running=state.running == policy.value)
        for policy in order.policies
    ]
    begins_s = time.time() // DAY_S * DAY_S
    if order.source[0] == "--usage":
        begins_s = time.time() - float(order.source[1]) * DAY_S
    charts = {
        f"{policy}-{pool}": _chart(str(POLICIES[PolicyName(policy)]), pool, figures["over_time"], begins_s)
        for policy, run in by_policy.items()
        for pool, figures in run["pools"].items()
    }
    return {"state": state, "rows": rows, "charts": charts}


def _chart(policy: str, pool: str, over_time: list[list[int]], begins_s: float) -> Chart:
    points = over_time[:: max(1, len(over_time) // MAX_POINTS)]
    chart = made_chart(
        f"{pool}: {policy}",
        "replicas",
        "line",
        [
            chart_line("wanted", "first", [wanted for _at, wanted, _ready in points]),
            chart_line("ready", "second", [ready for _at, _wanted, ready in points]),
        ],
        "in the simulated time",
    )
    chart["minutes"] = [int(begins_s + at_s) for at_s, *_rest in points]
    return chart


def _require_sight(request: HttpRequest) -> None:
    if not may_see(request, *SCALING):
        raise PermissionDenied
