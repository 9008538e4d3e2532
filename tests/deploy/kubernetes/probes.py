"""The probes of a container, as the kubelet does them."""

import http.client
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Probe:
    path: str
    port: int
    period_s: float
    timeout_s: float
    failures: int

    def succeeds(self, ip: str) -> bool:
        connection = http.client.HTTPConnection(ip, self.port, timeout=self.timeout_s)
        try:
            connection.request("GET", self.path, headers={"User-Agent": "kube-probe", "Connection": "close"})
            return 200 <= connection.getresponse().status < 400
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def probe_of(container: dict[str, Any], name: str) -> Probe:
    """Return a probe of the container. Its port may be the name of one of the container's ports."""
    declared = container[name]
    port = declared["httpGet"]["port"]
    named = {port["name"]: port["containerPort"] for port in container["ports"]}
    return Probe(
        path=declared["httpGet"]["path"],
        port=named[port] if isinstance(port, str) else port,
        period_s=declared.get("periodSeconds", 10),
        timeout_s=declared.get("timeoutSeconds", 1),
        failures=declared.get("failureThreshold", 3),
    )


@dataclass(slots=True)
class Watched:
    """A probe with what came of it so far. Kubernetes believes a failure only after several of them in a row."""

    probe: Probe
    next_s: float = 0.0
    failed: int = 0
    ok: bool = False

    def look(self, ip: str, now_s: float) -> bool:
        """Probe if it is time, and return whether the probe has failed for good."""
        if now_s < self.next_s:
            return False
        self.next_s = now_s + self.probe.period_s
        if self.probe.succeeds(ip):
            self.failed, self.ok = 0, True
        else:
            self.failed += 1
            if self.failed >= self.probe.failures:
                self.ok = False
        return self.failed >= self.probe.failures
