"""Read the queues of the models that a worker serves: take requests, run them together, and send each answer to its
caller.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from queue import SimpleQueue
from uuid import uuid4

import redis
import structlog

from inference.core.errors import DeadlinePassed
from inference.rpc.begun_runs import MAX_BEGUN, Begins, BegunRuns
from inference.rpc.clock import ServerClock
from inference.rpc.commands import Command, kept_ms
from inference.rpc.demand import lane_demand
from inference.rpc.envelopes import RequestEnvelope, read_request
from inference.rpc.errors import MessageMalformed
from inference.rpc.keys import TOKEN, Entry, claim_key, entry_name, lane_key, read_entry, wake_key
from inference.rpc.limits import LaneLimits
from inference.rpc.lines import CommandLine
from inference.rpc.metrics import REQUESTS
from inference.rpc.outcomes import Outcomes, Serve
from inference.rpc.replier import RECONNECT_S, Replier, Reply
from inference.rpc.replies import nudge_command
from inference.rpc.runs import Hand, Run, Taken
from inference.rpc.scripts import GIVE_BACK, TAKE
from inference.rpc.seats import WAIT_S, Lanes, Seat
from inference.rpc.socket_frames import SocketCall
from inference.rpc.socket_server import Connection, SocketServer

log = structlog.get_logger(__name__)

LoadWithin = Callable[[str, float, float], float]
"""A function that says how much of a period of `time.monotonic` was spent on loading a model, given by its key."""
SEATS = 2
"""The number of connection slots. While one thread runs what it took, another already waits, so that under light load
no request is handed to another thread.
"""


class LaneReader:
    """A reader that holds at most `slots` requests. If it is killed, its requests are lost; their callers look for them
    and get an error.
    """

    def __init__(
        self,
        url: str,
        serve: Serve,
        *,
        slots: int,
        begins: Begins | None = None,
        limits: LaneLimits | None = None,
        load_within: LoadWithin = lambda *_: 0.0,
        sockets: Path | None = None,
    ) -> None:
        """Set up the reader. `slots` is the number of requests that threads serve. Requests that are begun without a
        thread come in addition: a batch and a little more. They also arrive by a socket in the folder `sockets`.
        """
        self._load_within = load_within
        self._limits = limits or LaneLimits()
        self._slots = slots
        self._hand = Hand(slots)
        self._line = CommandLine(url)
        self._stopping = threading.Event()
        self._due: SimpleQueue[Run | Seat | None] = SimpleQueue()
        self._outcomes = Outcomes(serve, self._line, self._limits)
        self._replier = Replier(self._line, self._outcomes, self._limits, self._stopping)
        self._begun = None
        self._begins = begins
        self._sockets: SocketServer | None = None
        if begins is not None:
            if sockets is not None:
                self._sockets = SocketServer(
                    sockets,
                    uuid4().hex,
                    models=self._models_by_socket,
                    take=self._take_by_socket,
                    cancel=lambda connection, number: self.cancel(_socket_id(connection, number)),
                    leave=self._leave_connection,
                )
            self._begun = BegunRuns(
                begins,
                outcomes=self._outcomes,
                hand=self._hand,
                replier=self._replier,
                run_again=self._due.put,
                spare=slots,
            )
        self._clock = ServerClock()
        self._lanes: Lanes = {}
        self._seats = [Seat(url, uuid4().hex) for _ in range(SEATS)]
        self._waiting = 0
        self._lock = threading.Lock()
        self._left = threading.Semaphore(0)
        self.reading = threading.Event()
        """An event that is set while Redis answers."""
        self._threads = [
            threading.Thread(target=self._work_on, name=f"lane-{number}", daemon=True)
            for number in range(slots + SEATS)
        ]

    def set_lanes(self, model_keys: Iterable[str]) -> None:
        """Serve these models from now on. Requests that were taken for other models are finished."""
        lanes = {wake_key(key): key for key in model_keys}
        if self._lanes != lanes:
            self._lanes = lanes
            if self._sockets is not None:
                self._sockets.say_soon()
            if self.reading.is_set():
                self._nudge()

    def start(self) -> None:
        for seat in self._seats:
            self._due.put(seat)
        for thread in self._threads:
            thread.start()
        if self._begun is not None:
            self._begun.start()
        if self._sockets is not None:
            self._sockets.start()

    def stop(self, timeout_s: float) -> None:
        """Take no more requests, finish those that can be finished within this time, and give back the rest."""
        ends_s = time.monotonic() + timeout_s
        self._stopping.set()
        if self._sockets is not None:
            self._sockets.say_soon()
        self._nudge()
        for _seat in self._seats:
            self._left.acquire(timeout=max(0.0, ends_s - time.monotonic()))
        self._hand.settle(max(0.0, ends_s - time.monotonic()))
        left = [(run, taken) for run, members in self._hand.give_up() for taken in members]
        # The oldest request is given back last, so that it is the first in the queue again.
        for run, taken in sorted(left, key=lambda one: -_arrived_ms(one[1])):
            self._give_back(run, taken)
        for _thread in self._threads:
            self._due.put(None)
        if self._begun is not None:
            self._begun.stop()
        if self._sockets is not None:
            self._sockets.stop()
        self._line.close()

    def cancel(self, request_id: str) -> None:
        """Cancel a request whose caller no longer waits. This never blocks."""
        self._hand.cancel(request_id)

    def _work_on(self) -> None:
        while (due := self._due.get()) is not None:
            if isinstance(due, Seat):
                self._sit(due)
            else:
                self._run_safely(due)

    # The following methods take requests.

    def _sit(self, seat: Seat) -> None:
        """Wait on the connection slot, and run in this thread what arrives. If another thread waits on another slot,
        this thread keeps its slot meanwhile; otherwise it passes the slot on first.
        """
        while seat.waiting or not self._stopping.is_set():
            with self._lock:
                self._waiting += 1
            runs = self._take_safely(seat)
            with self._lock:
                self._waiting -= 1
                keeps = self._waiting > 0
            if self._hand.runs > 1:
                runs = self._begin(runs)
            if runs and not keeps:
                # The slot is passed on before the runs, because the thread that uses it reports to Redis which requests
                # this worker holds.
                self._due.put(seat)
            for run in runs[1:]:
                self._due.put(run)
            if runs and not keeps:
                self._run_safely(runs[0])
                return
            if runs:
                self._run_safely(runs[0], seat)
        seat.close()
        self._left.release()

    def _begin(self, runs: list[Run]) -> list[Run]:
        """Begin the runs that need no thread, and return the others. A run that is alone is not passed here, because a
        thread runs it in fewer steps.
        """
        return runs if self._begun is None or not runs else self._begun.take(runs)

    def _take_safely(self, seat: Seat) -> list[Run]:
        try:
            return self._take(seat)
        except (redis.RedisError, OSError) as error:
            log.warning("rpc_queue_not_read", error=str(error))
        except Exception:
            log.exception("rpc_failed")
        self._leave_wire(seat)
        self._stopping.wait(RECONNECT_S)
        return []

    def _leave_wire(self, seat: Seat) -> None:
        self.reading.clear()
        if seat.waiting:
            self._hand.unreserve(1)
        seat.close()

    def _take(self, seat: Seat) -> list[Run]:
        if not seat.waiting and not self._wait(seat):
            return []
        came, room = seat.come(), 1
        try:
            # If nothing arrived, look at the queues themselves. A reader that died between being woken and taking
            # requests took the token with it.
            model_key, entry = came or (self._forgotten(), TOKEN)
            if model_key is None:
                return []
            if entry != TOKEN:
                return self._receive(model_key, [entry])
            begins = 0 if self._begun is None else self._begun.room(model_key)
            room += 0 if begins else self._hand.reserve(self._slots)
            return self._take_many(model_key, max(room, begins))
        finally:
            self._hand.unreserve(room)

    def _wait(self, seat: Seat) -> bool:
        if not seat.is_told(self._lanes):
            if self._begun is not None:
                self._begun.leave_overdue()
            asked_s = time.monotonic()
            now_ms = seat.tell(self._lanes, self._hand.requests())
            self._clock.set(now_ms, (asked_s + time.monotonic()) / 2)
            self.reading.set()
        if self._hand.reserve(1, WAIT_S):
            seat.wait(self._lanes)
        return seat.waiting

    def _take_many(self, model_key: str, room: int) -> list[Run]:
        command = Command(TAKE, (lane_key(model_key),), (room, kept_ms(self._limits)))
        now_ms, expired, _remaining, *entries = self._line.run(command)
        self._clock.set(float(now_ms), time.monotonic())
        if expired:
            REQUESTS.labels(model_key, "expired").inc(int(expired))
        return self._receive(model_key, entries)

    def _forgotten(self) -> str | None:
        waiting = lane_demand(self._line, list(self._lanes.values()))
        return next((key for key, demand in waiting.items() if demand.waiting), None)

    def _receive(self, model_key: str, entries: Sequence[bytes]) -> list[Run]:
        now_s, taken = time.monotonic(), []
        for raw in entries:
            try:
                entry = read_entry(raw)
                taken.append(self._taken(model_key, entry, read_request(entry.message), now_s))
            except MessageMalformed as error:
                log.warning("rpc_message_dropped", model=model_key, error=str(error))
                REQUESTS.labels(model_key, "malformed").inc()
        return self._runs_of(taken, now_s)

    def _taken(self, model_key: str, entry: Entry, envelope: RequestEnvelope, now_s: float) -> Taken:
        queue_s = max(0.0, now_s - self._clock.local_s(entry.arrived_ms))
        load_s = self._load_within(model_key, now_s - queue_s, now_s)
        return Taken(
            model_key,
            entry.request_id,
            entry.tenant,
            envelope.coalesce,
            envelope.payload,
            self._clock.local_s(entry.deadline_ms),
            queue_s - load_s,
            load_s,
            entry=entry,
            replies=envelope.replies,
        )

    def _runs_of(self, taken: Sequence[Taken], now_s: float) -> list[Run]:
        """Return the runs to be started, and count the requests that need none."""
        in_time = [one for one in taken if one.deadline_s > now_s]
        added = self._hand.add(in_time)
        for one in taken:
            if one.deadline_s <= now_s:
                REQUESTS.labels(one.model_key, "expired").inc()
        for one, run in zip(in_time, added, strict=True):
            if not isinstance(run, Run):
                REQUESTS.labels(one.model_key, run).inc()
        return [run for run in added if isinstance(run, Run)]

    # The following methods take calls that come by a socket. They run in the thread of the socket server.

    def _models_by_socket(self) -> dict[str, int]:
        """Return how many calls of each model a web process may have here. All others wait in Redis, where every worker
        sees them.
        """
        if self._begins is None or self._stopping.is_set():
            return {}
        together = {key: self._begins.together(key) for key in self._lanes.values()}
        return {key: min(MAX_BEGUN // 2, 2 * rows) for key, rows in together.items() if rows > 1}

    def _take_by_socket(self, connection: Connection, calls: Sequence[SocketCall]) -> None:
        if self._stopping.is_set():
            connection.give_back([call.number for call in calls])
            return
        now_s = time.monotonic()
        runs = self._runs_of([_taken(connection, call, now_s) for call in calls], now_s)
        for run in self._begin(runs):
            self._due.put(run)

    def _leave_connection(self, connection: Connection) -> None:
        for request_id in self._hand.of_connection(connection):
            self.cancel(request_id)

    # The following methods run requests.

    def _run_safely(self, run: Run, seat: Seat | None = None) -> None:
        try:
            self._run(run, seat)
        except Exception:
            log.exception("rpc_failed", model=run.model_key)
        finally:
            self._hand.end([run])
            self._hand.release([run])

    def _run(self, run: Run, seat: Seat | None) -> None:
        began_s = time.monotonic()
        outcome = self._outcomes.of(run)
        while isinstance(outcome, DeadlinePassed) and self._hand.renew(run, time.monotonic()):
            outcome = self._outcomes.of(run)
        run_ms = (time.monotonic() - began_s) * 1000
        (members,) = self._hand.end([run])
        replies = self._replier.replies(run, members, outcome, run_ms)
        sent = self._reply_and_wait(replies, seat) if seat is not None and replies else 0
        self._replier.send(replies[sent:])
        self._replier.count([(run, outcome)], [members])

    # The following methods send answers.

    def _reply_and_wait(self, replies: Sequence[Reply], seat: Seat) -> int:
        """Send the replies together with the next wait, in one step instead of two, if the wait may begin at once.
        Return how many replies have surely been sent.
        """
        lanes = self._lanes
        if self._stopping.is_set() or not seat.is_told(lanes) or not self._hand.reserve(1):
            return 0
        commands = [reply.command for reply in replies if reply.command is not None]
        if len(commands) < len(replies):
            self._hand.unreserve(1)
            return 0
        try:
            answers = seat.wait(lanes, commands)
        except (redis.RedisError, OSError) as error:
            log.warning("rpc_queue_not_read", error=str(error))
            self._leave_wire(seat)
            return 0
        return next((n for n, answer in enumerate(answers) if isinstance(answer, Exception)), len(answers))

    def _give_back(self, run: Run, taken: Taken) -> None:
        if taken.connection is not None:
            taken.connection.give_back([taken.number])
            REQUESTS.labels(taken.model_key, "handed_back").inc()
            return
        assert taken.entry is not None
        claimed = taken.payload is None and run.payload
        args: Sequence[str | bytes] = (
            entry_name(taken.request_id, taken.tenant),
            taken.entry.raw,
            claim_key(taken.request_id, "work") if claimed else "",
            run.payload if claimed else b"",
            str(kept_ms(self._limits)),
        )
        try:
            self._line.run(Command(GIVE_BACK, (lane_key(taken.model_key),), tuple(args)))
        except redis.RedisError as error:
            log.warning("rpc_request_not_handed_back", model=taken.model_key, error=str(error))
        else:
            REQUESTS.labels(taken.model_key, "handed_back").inc()

    def _nudge(self) -> None:
        """End the waits at once. If this is lost, they end by themselves within a second."""
        try:
            for seat in self._seats:
                self._line.run(nudge_command(seat.nudge))
        except redis.RedisError as error:
            log.info("rpc_reader_not_notified", error=str(error))


def _arrived_ms(taken: Taken) -> float:
    return 0.0 if taken.entry is None else taken.entry.arrived_ms


def _taken(connection: Connection, call: SocketCall, now_s: float) -> Taken:
    return Taken(
        call.model_key,
        _socket_id(connection, call.number),
        call.tenant,
        call.coalesce,
        call.payload,
        call.deadline_s,
        max(0.0, now_s - call.sent_s),
        connection=connection,
        number=call.number,
    )


def _socket_id(connection: Connection, number: int) -> str:
    return f"{connection.id}.{number}"
