"""The calls about archives, as flows."""

from collections.abc import Callable

from maas_client.archives import Archive, ArchiveEntry, Unpacking, archive_request
from maas_client.calls import LONGEST_OUTAGE_S, LONGEST_ROUND_S, RESTART_S, Calls, Part
from maas_client.errors import ArchiveTimedOut
from maas_client.exchange import Flow, Pause, Request
from maas_client.reading import json_of, retry_after_of
from maas_client.uploads import Source
from maas_client.wait_budget import WaitBudget

ArchiveTold = Callable[[Archive], None]
MIN_PAUSE_S = 0.5


class ArchiveCalls:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def upload(self, file: Source, how: Unpacking) -> Flow[Archive]:
        reply = yield from self._calls.ask(archive_request(file, how), outage_s=RESTART_S)
        return Archive.from_json(json_of(reply))

    def archive(self, archive_id: str) -> Flow[Archive]:
        return self._calls.shaped(Request("GET", f"/v1/archives/{archive_id}"), Archive.from_json)

    def archives(self) -> Flow[Part[Archive]]:
        return self._calls.listed("/v1/archives", {}, Archive.from_json)

    def entries(self, archive_id: str) -> Flow[Part[ArchiveEntry]]:
        return self._calls.listed(f"/v1/archives/{archive_id}/entries", {}, ArchiveEntry.from_json, by="after")

    def wait(self, archive_id: str, timeout_s: float | None, told: ArchiveTold | None) -> Flow[Archive]:
        """Wait for the archive. The service holds no answer back but says how often to ask."""
        budget = WaitBudget(self._calls.clock, timeout_s, LONGEST_ROUND_S)
        asked = Request("GET", f"/v1/archives/{archive_id}")
        while True:
            reply = yield from self._calls.ask(asked, outage_s=LONGEST_OUTAGE_S, within_s=budget.left_s())
            archive = Archive.from_json(json_of(reply))
            if told:
                told(archive)
            if archive.ended:
                return archive
            if budget.left_s() <= 0:
                raise ArchiveTimedOut(archive, budget.waited_s())
            yield Pause(min(max(retry_after_of(reply), MIN_PAUSE_S), budget.left_s()))

    def cancel(self, archive_id: str) -> Flow[Archive]:
        return self._calls.shaped(Request("POST", f"/v1/archives/{archive_id}/cancel"), Archive.from_json)

    def delete(self, archive_id: str) -> Flow[None]:
        yield from self._calls.ask(Request("DELETE", f"/v1/archives/{archive_id}"))
