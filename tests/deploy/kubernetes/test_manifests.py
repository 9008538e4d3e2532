"""Tests of what the manifests promise: rights, secrets, stops, probes, networks and scaling."""

import re
import subprocess
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from maas.web_processes.__main__ import LEAVE_S
from tests.deploy.kubernetes.kustomize import KUBERNETES
from tests.deploy.kubernetes.manifests import (
    PRODUCT,
    RENDERED,
    TEMPLATES,
    PodTemplate,
    container_of,
    of_kind,
    secret_of,
)
from tests.docs.containers import DOCKERFILES, default_command, variables
from tests.docs.product import first_column, read, settings_read

SPOT_POD_S = 15
"""Seconds of a notice of 30 that a kubelet leaves to ordinary pods. The rest is for those of the system."""
SPARE_S = 20
"""Seconds that a web pod may need beside its waits, on a node without a free core."""
STARTUP_S = 300
HAND_BACK_S = 5
"""Seconds that a worker needs after MAAS_WORKER_STOP_S, as docs/settings.md says."""
CREDENTIALS = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
"""The names that boto3 reads by itself."""

each_template = pytest.mark.parametrize("template", TEMPLATES, ids=str)
each_of_ours = pytest.mark.parametrize("template", PRODUCT, ids=str)
each_kustomization = pytest.mark.parametrize("kustomization", sorted(RENDERED))


@each_template
def test_container_has_no_rights_that_it_does_not_need(template: PodTemplate) -> None:
    pod = template.spec["securityContext"]
    assert pod["runAsNonRoot"] is True
    assert pod["runAsUser"] > 0
    assert pod["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in template.containers:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
    assert not {"hostNetwork", "hostPID", "hostIPC"} & template.spec.keys()
    assert not any("hostPath" in volume for volume in template.spec.get("volumes", ()))


@each_of_ours
def test_user_and_folder_are_those_of_the_image(template: PodTemplate) -> None:
    for dockerfile in DOCKERFILES:
        assert f"--uid {template.spec['securityContext']['runAsUser']} " in read(dockerfile)
    home = variables(DOCKERFILES[0])["MAAS_HOME"]
    for container in template.containers:
        assert {home, "/tmp"} <= {mount["mountPath"] for mount in container["volumeMounts"]}


@each_template
def test_only_the_scheduler_has_a_token_of_the_cluster(template: PodTemplate) -> None:
    assert template.spec["automountServiceAccountToken"] is (template.component == "scheduler")
    # With them, a Service could set a variable of the product, such as MAAS_PORT.
    assert template.spec["enableServiceLinks"] is False


@each_kustomization
def test_scheduler_may_get_list_and_patch_pods_and_nothing_else(kustomization: str) -> None:
    (role,) = of_kind(kustomization, "Role")
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "patch"]}]
    (binding,) = of_kind(kustomization, "RoleBinding")
    assert [subject["name"] for subject in binding["subjects"]] == ["scheduler"]
    assert not of_kind(kustomization, "ClusterRole")
    accounts = of_kind(kustomization, "ServiceAccount")
    assert all(account["automountServiceAccountToken"] is False for account in accounts)
    names = {account["metadata"]["name"] for account in accounts}
    assert {one.spec.get("serviceAccountName") for one in PRODUCT if one.kustomization == kustomization} <= names


@each_template
def test_container_requests_and_is_limited_and_its_image_is_named_exactly(template: PodTemplate) -> None:
    for container in template.containers:
        resources = container["resources"]
        assert {"cpu", "memory"} <= resources["requests"].keys()
        assert {"cpu", "memory"} <= resources["limits"].keys()
        assert re.search(r":\S*\d", container["image"])
        assert not container["image"].endswith(":latest")


@each_of_ours
def test_every_variable_is_a_setting_and_no_secret_is_written_down(template: PodTemplate) -> None:
    for container in template.containers:
        assert {one["name"] for one in container["env"]} - CREDENTIALS <= settings_read()
        assert container["envFrom"] == [{"configMapRef": {"name": "settings"}}]
        secret = {"MAAS_DATABASE_URL", "MAAS_REDIS_URL", "MAAS_CACHE_URL", "MAAS_BROKER_URL", "MAAS_STORAGE_URL"}
        assert secret | {"MAAS_KEY_PEPPER"} <= secret_of(container).keys()
    assert template.settings.keys() <= settings_read()
    assert not of_kind(template.kustomization, "Secret")


@each_of_ours
def test_no_container_can_start_embedded_servers(template: PodTemplate) -> None:
    assert template.settings["MAAS_EMBEDDED"] == "0"
    for container in template.containers:
        assert "maas.local" not in " ".join(container["command"])
        given = secret_of(container)
        for name in ("MAAS_DATABASE_URL", "MAAS_REDIS_URL", "MAAS_CACHE_URL", "MAAS_STORAGE_URL"):
            assert given[name][1] is False, f"{name} may be absent"


@each_of_ours
def test_lock_holders_connect_past_the_pooler(template: PodTemplate) -> None:
    expected = "direct-database-url" if template.component in {"scheduler", "migrate"} else "database-url"
    for container in template.containers:
        assert secret_of(container)["MAAS_DATABASE_URL"] == (expected, False)


@each_of_ours
def test_workers_have_no_key_that_signs_sessions(template: PodTemplate) -> None:
    """They open files that anybody may have sent."""
    keys = {"MAAS_SECRET_KEY", "MAAS_STRIPE_SECRET_KEY", "MAAS_EMAIL_URL"}
    has = keys & secret_of(template.containers[0]).keys()
    assert has == (keys if template.component in {"web", "scheduler"} else set())


def test_every_key_of_the_secret_is_documented_and_no_other() -> None:
    keys = {key for one in PRODUCT for container in one.containers for key, _ in secret_of(container).values()}
    assert sorted(first_column("docs/kubernetes.md")) == sorted(keys)


def test_secrets_for_the_laptop_have_every_key_that_is_needed() -> None:
    script = KUBERNETES / "overlays" / "laptop" / "make-secrets"
    printed = subprocess.run([script], capture_output=True, text=True, check=True).stdout
    made = {one["metadata"]["name"]: one["stringData"] for one in yaml.safe_load_all(printed)}
    laptop = [one for one in PRODUCT if one.kustomization == "laptop"]
    needed = {
        key for one in laptop for container in one.containers for key, may_lack in secret_of(container).values()
        if not may_lack
    }  # fmt: skip
    assert made["maas"].keys() == needed
    servers = [one for one in TEMPLATES if one.owner["kind"] == "StatefulSet"]
    assert made["servers"].keys() == {
        key for one in servers for container in one.containers for key, _ in secret_of(container, "servers").values()
    }
    assert "@postgres.maas-services.svc:5432/maas" in made["maas"]["database-url"]
    names = {one["metadata"]["name"] for one in of_kind("laptop", "Service")}
    for url in ("redis-url", "cache-url", "broker-url", "database-url"):
        assert (urlsplit(made["maas"][url]).hostname or "").removesuffix(".maas-services.svc") in names


def test_laptop_makes_the_roles_of_the_compose_file() -> None:
    (config,) = (one for one in of_kind("laptop", "ConfigMap") if one["metadata"]["name"] == "postgres-roles")
    assert config["data"]["postgres-roles.sql"] == read("deploy/docker/postgres-roles.sql")


SERVING = tuple(one for one in PRODUCT if one.component != "migrate")
each_serving = pytest.mark.parametrize("template", SERVING, ids=str)


@each_serving
def test_probes_ask_what_the_process_answers(template: PodTemplate) -> None:
    container = container_of(template)
    paths = {name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")}
    # A worker has started when its models are loaded. Web is alive while it waits for the tables of its version.
    startup = "/readyz" if template.component == "worker" else "/livez"
    assert paths == {"startup": startup, "readiness": "/readyz", "liveness": "/livez"}
    probe = container["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] == STARTUP_S
    (port,) = container["ports"]
    setting = "MAAS_PORT" if template.component == "web" else "MAAS_METRICS_PORT"
    assert str(port["containerPort"]) == template.settings.get(setting, "8000")


@each_serving
def test_grace_period_fits_the_drain(template: PodTemplate) -> None:
    settings, grace_s = template.settings, template.spec["terminationGracePeriodSeconds"]
    if template.component == "web":
        probe = container_of(template)["readinessProbe"]
        drain_s = int(settings["MAAS_DRAIN_S"])
        assert drain_s > probe["periodSeconds"] * probe["failureThreshold"] + 1
        assert grace_s > drain_s + int(settings["MAAS_FINISH_S"]) + LEAVE_S + SPARE_S
    if template.component == "worker":
        assert grace_s >= int(settings["MAAS_WORKER_STOP_S"]) + HAND_BACK_S
    if any("spot" in taint["key"] for taint in template.spec.get("tolerations", ())):
        assert grace_s <= SPOT_POD_S


def test_processes_are_as_many_as_the_limits_carry_on_any_node() -> None:
    for template in SERVING:
        wanted = {"MAAS_READER_CHILDREN"} if template.component != "scheduler" else set()
        wanted |= {"MAAS_WEB_PROCESSES", "MAAS_WEB_THREADS"} if template.component == "web" else set()
        wanted |= {"MAAS_WORKER_THREADS"} if template.component == "worker" else set()
        assert wanted <= template.settings.keys(), template


def size_gib(volume: dict[str, Any]) -> float:
    size = str(volume["emptyDir"]["sizeLimit"])
    return float(size.removesuffix("Gi")) if size.endswith("Gi") else float(size.removesuffix("Mi")) / 1024


@each_serving
def test_volumes_hold_the_largest_uploads_and_fit_the_limit(template: PodTemplate) -> None:
    volumes = {one["name"]: size_gib(one) for one in template.spec["volumes"] if "emptyDir" in one}
    settings = template.settings
    copies = {
        # Two uploads are finished at once in each web process.
        "web": 2 * int(settings.get("MAAS_WEB_PROCESSES", 0)),
        # A file from S3 is copied to where the thread reads it.
        "worker": 2 * int(settings.get("MAAS_WORKER_THREADS", 0)),
        "scheduler": 1,
    }
    assert volumes["home"] > copies[template.component] * int(settings["MAAS_MAX_RESUMABLE_BYTES"]) / 2**30
    limit = container_of(template)["resources"]["limits"]["ephemeral-storage"]
    assert sum(volumes.values()) < int(limit.removesuffix("Gi"))


def test_web_is_started_as_the_image_starts_it() -> None:
    (web,) = (one for one in PRODUCT if str(one) == "base-web")
    assert container_of(web)["command"] == default_command(DOCKERFILES[0])


@each_kustomization
def test_selectors_find_the_pods_that_they_are_for(kustomization: str) -> None:
    found = [one for one in TEMPLATES if one.kustomization == kustomization]
    for template in found:
        if template.owner["kind"] == "Deployment":
            selector = template.owner["spec"]["selector"]["matchLabels"]
            same = [one.name for one in found if selector.items() <= one.labels.items()]
            assert same == [template.name]
    for kind in ("PodDisruptionBudget", "Service"):
        for one in of_kind(kustomization, kind):
            selector = one["spec"]["selector"]
            selected = selector.get("matchLabels", selector)
            names = [template.name for template in found if selected.items() <= template.labels.items()]
            assert names == [one["metadata"]["name"]]
    budgets = {one["metadata"]["name"] for one in of_kind(kustomization, "PodDisruptionBudget")}
    assert {one.name for one in SERVING if one.kustomization == kustomization} <= budgets


@each_kustomization
def test_node_can_be_drained_and_removed(kustomization: str) -> None:
    for budget in of_kind(kustomization, "PodDisruptionBudget"):
        # `minAvailable: 1` would keep a single pod for ever, and so would a budget for one that never becomes ready.
        assert "minAvailable" not in budget["spec"]
        assert budget["spec"]["maxUnavailable"] in {1, "50%"}
        assert budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
    for template in (one for one in PRODUCT if one.kustomization == kustomization):
        annotations = template.owner["spec"]["template"]["metadata"].get("annotations", {})
        may_go = annotations.get("cluster-autoscaler.kubernetes.io/safe-to-evict") == "true"
        assert may_go is (template in SERVING), template


@each_serving
def test_rolling_update_ends_no_pod_before_another_is_ready(template: PodTemplate) -> None:
    spot = template.name == "worker-spot"
    expected = {"maxSurge": 1, "maxUnavailable": 1 if spot else 0}
    assert template.owner["spec"]["strategy"] == {"type": "RollingUpdate", "rollingUpdate": expected}


def selected(policy: dict[str, Any], template: PodTemplate) -> bool:
    selector = policy["spec"]["podSelector"]
    if not selector.get("matchLabels", {}).items() <= template.labels.items():
        return False
    return all(template.labels.get(one["key"]) in one["values"] for one in selector.get("matchExpressions", ()))


REACHED = {
    "worker": {"names", "servers"},
    "migrate": {"names", "servers"},
    "web": {"names", "servers", "outside"},
    "scheduler": {"names", "servers", "outside", "kubernetes-api"},
    "buffer": {"names"},
    "buffer-gpu": {"names"},
}


@pytest.mark.parametrize(
    "template", [one for one in TEMPLATES if one.owner["metadata"]["namespace"] == "maas"], ids=str
)
def test_pod_reaches_only_what_it_needs(template: PodTemplate) -> None:
    policies = of_kind(template.kustomization, "NetworkPolicy")
    (closed,) = (one["spec"] for one in policies if one["metadata"]["name"] == "closed")
    assert closed == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    reached = {one["metadata"]["name"] for one in policies if one["spec"].get("egress") and selected(one, template)}
    assert reached == REACHED[template.component]


@each_kustomization
def test_names_are_found_with_and_without_a_cache_on_the_node(kustomization: str) -> None:
    (names,) = (one for one in of_kind(kustomization, "NetworkPolicy") if one["metadata"]["name"] == "names")
    (rule,) = names["spec"]["egress"]
    assert {"ipBlock": {"cidr": "169.254.20.10/32"}} in rule["to"]
    assert rule["ports"] == [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]


@each_kustomization
def test_priorities_are_those_that_preempt_in_order(kustomization: str) -> None:
    values = {one["metadata"]["name"]: one["value"] for one in of_kind(kustomization, "PriorityClass")}
    assert values == {"maas-buffer": -10, "maas-standard": 0, "maas-interactive": 1_000_000}
    used = {one.spec.get("priorityClassName") for one in PRODUCT if one.kustomization == kustomization}
    assert used <= values.keys()


@pytest.mark.parametrize("kustomization", sorted(RENDERED.keys() - {"laptop"}))
def test_keda_follows_the_product_tamed_and_with_a_fallback(kustomization: str) -> None:
    workers = {one.name: one for one in PRODUCT if one.kustomization == kustomization and one.component == "worker"}
    scaled = of_kind(kustomization, "ScaledObject")
    assert {one["spec"]["scaleTargetRef"]["name"] for one in scaled} == workers.keys()
    for one in scaled:
        worker, spec = workers[one["spec"]["scaleTargetRef"]["name"]], one["spec"]
        # A number here would be set again by each `kubectl apply`.
        assert "replicas" not in worker.owner["spec"]
        behavior = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
        assert behavior["scaleUp"]["policies"] == [{"type": "Pods", "value": 2, "periodSeconds": 120}]
        assert behavior["scaleDown"]["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 300}]
        # In a dry run, the surge of a rollout would be wanted for good.
        assert one["metadata"]["annotations"]["autoscaling.keda.sh/paused"] == "true"
        assert spec["fallback"]["replicas"] >= 1
        # Without it, an unanswered poll would end workers that have work.
        assert spec["fallback"]["behavior"] == "currentReplicasIfHigher"
        (trigger,) = spec["triggers"]
        # Only with a target of one for each replica are there as many replicas as are wanted.
        assert (trigger["type"], trigger["metricType"]) == ("metrics-api", "AverageValue")
        metadata = trigger["metadata"]
        assert (metadata["targetValue"], metadata["valueLocation"]) == ("1", "wanted")
        url = urlsplit(metadata["url"])
        (service,) = of_kind(kustomization, "Service")
        assert url.netloc == f"{service['metadata']['name']}.maas.svc:{service['spec']['ports'][0]['port']}"
        assert url.path == f"/v1/operator/scaling/pools/{worker.settings['MAAS_WORKER_POOLS']}"
        assert url.hostname in worker.settings["MAAS_ALLOWED_HOSTS"].split(",")


def test_web_knows_the_token_that_keda_sends() -> None:
    for template in PRODUCT:
        known = secret_of(template.containers[0], "maas-scaling")
        assert known == ({"MAAS_OPERATOR_TOKEN": ("token", True)} if template.component == "web" else {})
    (authentication,) = of_kind("base", "TriggerAuthentication")
    assert authentication["spec"]["secretTargetRef"] == [{"parameter": "token", "name": "maas-scaling", "key": "token"}]
