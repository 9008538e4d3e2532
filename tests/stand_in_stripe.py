"""A stand-in for Stripe on this machine: it uses its wire format, records what it receives, and fails on demand.

It parses requests as Stripe does (forms with brackets, idempotency keys), and uses no code of the product.
"""

import hmac
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

SECRET_KEY = "sk_test_stand_in"
WEBHOOK_SECRET = "whsec_stand_in"
DECLINED = "pm_declined"
Row = dict[str, Any]


class Refused(Exception):
    def __init__(self, status: int, kind: str, code: str, message: str = "", **more: Any) -> None:
        super().__init__(code)
        self.status = status
        self.body = {"error": {"type": kind, "code": code, "message": message or code, **more}}


@dataclass
class Account:
    """The data that Stripe would store for one account."""

    sessions: dict[str, Row] = field(default_factory=dict)
    customers: dict[str, Row] = field(default_factory=dict)
    intents: dict[str, Row] = field(default_factory=dict)
    methods: dict[str, Row] = field(default_factory=dict)
    refunds: dict[str, Row] = field(default_factory=dict)
    disputes: dict[str, Row] = field(default_factory=dict)
    answered: dict[str, tuple[str, int, Row]] = field(default_factory=dict)
    """The request and its response by idempotency key."""
    requests: list[tuple[str, str, Row, str]] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    """Failures for the next requests, one each: `500` is an error; `before` and `after` disconnect before or after the
    request was carried out.
    """
    refunds_wait: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)

    def asked(self, path: str) -> list[Row]:
        return [form for method, where, form, _ in self.requests if method == "POST" and where == path]


def event(kind: str, what: Mapping[str, Any], **more: Any) -> Row:
    return {
        "id": f"evt_{uuid4().hex}",
        "object": "event",
        "type": kind,
        "created": int(time.time()),
        "livemode": False,
        "data": {"object": what},
        **more,
    }


def signed(body: bytes, *, secret: str = WEBHOOK_SECRET, at: float | None = None) -> str:
    moment = int(time.time() if at is None else at)
    signature = hmac.new(secret.encode(), f"{moment}.".encode() + body, sha256).hexdigest()
    return f"t={moment},v1={signature}"


@dataclass
class StandIn:
    url: str
    account: Account

    def pay(self, session_id: str, *, amount: int | None = None, currency: str | None = None) -> Row:
        """Pay as a person on the page would, and return the session as it is then."""
        with self.account.lock:
            session = self.account.sessions[session_id]
            assert session["status"] == "open", session
            total = session["amount_total"] if amount is None else amount
            intent = _intent(
                self.account,
                amount=total,
                currency=currency or session["currency"],
                customer=session["customer"],
                metadata=session["payment_intent_metadata"],
                status="succeeded",
            )
            session.update(status="complete", payment_status="paid", payment_intent=intent["id"], url=None)
            session.update(amount_total=total, currency=intent["currency"])
            return dict(session)

    def save_card(self, session_id: str, method: str = "") -> Row:
        with self.account.lock:
            session = self.account.sessions[session_id]
            row = _method(self.account, method or f"pm_{uuid4().hex}", session["customer"])
            session["setup_intent"] = {
                "id": f"seti_{uuid4().hex}",
                "object": "setup_intent",
                "payment_method": row,
            }
            session.update(status="complete", url=None)
            return {**session, "setup_intent": session["setup_intent"]["id"]}

    def intent(self, intent_id: str) -> Row:
        return self.account.intents[intent_id]


def _new(account_rows: dict[str, Row], prefix: str, kind: str, **fields: Any) -> Row:
    row = {
        "id": fields.pop("id", f"{prefix}_{uuid4().hex}"),
        "object": kind,
        "created": int(time.time()),
        "livemode": False,
        **fields,
    }
    account_rows[row["id"]] = row
    return row


def _intent(account: Account, *, amount: int, currency: str, status: str, **fields: Any) -> Row:
    row = _new(
        account.intents,
        "pi",
        "payment_intent",
        amount=amount,
        currency=currency,
        status=status,
        amount_received=amount if status == "succeeded" else 0,
        last_payment_error=None,
        latest_charge=None,
        **fields,
    )
    if status == "succeeded":
        row["latest_charge"] = {"id": f"ch_{uuid4().hex}", "object": "charge", "amount_refunded": 0}
    return row


def _method(account: Account, method_id: str, customer: str) -> Row:
    card = {"brand": "visa", "last4": "4242", "exp_month": 12, "exp_year": 2030}
    return _new(account.methods, "pm", "payment_method", id=method_id, type="card", card=card, customer=customer)


def _found(rows: dict[str, Row], row_id: str) -> Row:
    if row_id not in rows:
        raise Refused(404, "invalid_request_error", "resource_missing")
    return rows[row_id]


def _create_session(account: Account, form: Row, base: str) -> Row:
    _found(account.customers, form["customer"])
    line = (form.get("line_items") or {}).get("0") or {}
    price = line.get("price_data") or {}
    total = int(price.get("unit_amount", 0)) * int(line.get("quantity", 0))
    if form["mode"] == "payment" and total < 50 and price.get("currency") == "eur":
        raise Refused(400, "invalid_request_error", "amount_too_small")
    row = _new(
        account.sessions,
        "cs_test",
        "checkout.session",
        mode=form["mode"],
        status="open",
        payment_status="unpaid",
        client_reference_id=form.get("client_reference_id"),
        customer=form["customer"],
        metadata=form.get("metadata") or {},
        payment_intent=None,
        payment_intent_metadata=(form.get("payment_intent_data") or {}).get("metadata") or {},
        setup_intent=None,
        amount_total=total,
        currency=price.get("currency") or form.get("currency"),
        success_url=form["success_url"],
        cancel_url=form.get("cancel_url"),
        expires_at=int(form.get("expires_at") or time.time() + 86400),
    )
    row["url"] = f"{base}/c/pay/{row['id']}"
    return row


def _create_intent(account: Account, form: Row) -> Row:
    method = _found(account.methods, form["payment_method"])
    if method.get("customer") != form["customer"]:
        raise Refused(400, "invalid_request_error", "resource_missing")
    fields: Row = {"customer": form["customer"], "metadata": form.get("metadata") or {}}
    amount, currency = int(form["amount"]), form["currency"]
    if not method["id"].startswith(DECLINED):
        return _intent(account, amount=amount, currency=currency, status="succeeded", **fields)
    row = _intent(account, amount=amount, currency=currency, status="requires_payment_method", **fields)
    error = {"type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds"}
    row["last_payment_error"] = error
    raise Refused(402, "card_error", "card_declined", decline_code="insufficient_funds", payment_intent=dict(row))


def _create_refund(account: Account, form: Row) -> Row:
    intent = _found(account.intents, form["payment_intent"])
    charge, amount = intent["latest_charge"], int(form.get("amount") or intent["amount_received"])
    if charge["amount_refunded"] + amount > intent["amount_received"]:
        raise Refused(400, "invalid_request_error", "charge_already_refunded")
    charge["amount_refunded"] += amount
    return _new(
        account.refunds,
        "re",
        "refund",
        amount=amount,
        currency=intent["currency"],
        payment_intent=intent["id"],
        metadata=form.get("metadata") or {},
        status="pending" if account.refunds_wait else "succeeded",
        failure_reason=None,
    )


def _listed(rows: dict[str, Row], form: Row, path: str) -> Row:
    newest = list(reversed(rows.values()))
    for name in ("customer", "payment_intent"):
        if name in form:
            newest = [row for row in newest if row.get(name) == form[name]]
    if "created" in form:
        newest = [row for row in newest if row["created"] >= int(form["created"]["gte"])]
    if "starting_after" in form:
        ids = [row["id"] for row in newest]
        newest = newest[ids.index(form["starting_after"]) + 1 :]
    # Pages are short, so that code that reads only the first page is detected.
    limit = min(int(form.get("limit", 10)), 2)
    return {
        "object": "list",
        "url": path,
        "has_more": len(newest) > limit,
        "data": [_plain(row, form) for row in newest[:limit]],
    }


def _plain(row: Row, form: Row) -> Row:
    """Return the row. Objects that were not requested with `expand` are replaced by their IDs."""
    expand = " ".join(form.get("expand", {}).values()) if isinstance(form.get("expand"), dict) else ""
    shown = dict(row)
    for name in ("latest_charge", "setup_intent"):
        if isinstance(shown.get(name), dict) and name not in expand:
            shown[name] = shown[name]["id"]
    return shown


def _nested(pairs: list[tuple[str, str]]) -> Row:
    """Parse `a[b][0]=c` into `{"a": {"b": {"0": "c"}}}`."""
    whole: Row = {}
    for name, value in pairs:
        first, *rest = re.findall(r"[^\[\]]+", name)
        place = whole
        for part in [first, *rest][:-1]:
            place = place.setdefault(part, {})
        place[[first, *rest][-1]] = value
    return whole


class _Handler(BaseHTTPRequestHandler):
    account: Account
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    @property
    def _base(self) -> str:
        return f"http://{self.headers['Host']}"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path.startswith("/c/pay/"):
            self._page(parts.path.rpartition("/")[2])
            return
        self._answer("GET", parts.path, _nested(parse_qsl(parts.query)))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        parts = urlsplit(self.path)
        if parts.path.startswith("/c/pay/"):
            self._paid(parts.path.rpartition("/")[2])
            return
        self._answer("POST", parts.path, _nested(parse_qsl(body)), body)

    def _answer(self, method: str, path: str, form: Row, body: str = "") -> None:
        trouble = self.account.troubles.pop(0) if self.account.troubles else ""
        key = self.headers.get("Idempotency-Key") or ""
        self.account.requests.append((method, path, form, key))
        if trouble == "before":
            self.close_connection = True
            self.connection.close()
            return
        if trouble == "500":
            self._send(500, {"error": {"type": "api_error", "message": "a stand-in's trouble"}})
            return
        if self.headers.get("Authorization") != f"Bearer {SECRET_KEY}":
            self._send(401, {"error": {"type": "invalid_request_error", "message": "Invalid API Key"}})
            return
        status, said = self._done(method, path, form, body, key)
        if trouble == "after":
            self.close_connection = True
            self.connection.close()
            return
        self._send(status, said)

    def _done(self, method: str, path: str, form: Row, body: str, key: str) -> tuple[int, Row]:
        """Carry out a request. A known idempotency key has the same response as before, or an error if the body
        differs.
        """
        with self.account.lock:
            known = self.account.answered.get(key) if method == "POST" and key else None
            if known is not None:
                if known[0] != f"{path} {body}":
                    return 400, {"error": {"type": "idempotency_error", "message": "another request"}}
                return known[1], known[2]
            try:
                status, said = 200, self._do(method, path, form)
            except Refused as refused:
                status, said = refused.status, refused.body
            if method == "POST" and key:
                self.account.answered[key] = (f"{path} {body}", status, json.loads(json.dumps(said)))
            return status, said

    def _do(self, method: str, path: str, form: Row) -> Row:
        account = self.account
        lists = {
            "/v1/checkout/sessions": account.sessions,
            "/v1/payment_intents": account.intents,
            "/v1/refunds": account.refunds,
            "/v1/disputes": account.disputes,
        }
        makes: dict[str, Callable[[], Row]] = {
            "/v1/checkout/sessions": lambda: _create_session(account, form, self._base),
            "/v1/payment_intents": lambda: _create_intent(account, form),
            "/v1/refunds": lambda: _create_refund(account, form),
            "/v1/customers": lambda: _new(
                account.customers,
                "cus",
                "customer",
                name=form.get("name"),
                metadata=form.get("metadata") or {},
            ),
        }
        if method == "POST" and path in makes:
            return dict(makes[path]())
        if method == "GET" and path in lists:
            return _listed(lists[path], form, path)
        return self._do_one(method, path, form)

    def _do_one(self, method: str, path: str, form: Row) -> Row:
        account = self.account
        match (method, *path.strip("/").split("/")):
            case ("GET", "v1", "checkout", "sessions", session_id):
                row = _plain(_found(account.sessions, session_id), form)
                if row["payment_intent"] and "payment_intent" in str(form.get("expand")):
                    row["payment_intent"] = _plain(account.intents[row["payment_intent"]], form)
                return row
            case ("POST", "v1", "checkout", "sessions", session_id, "expire"):
                row = _found(account.sessions, session_id)
                if row["status"] != "open":
                    raise Refused(400, "invalid_request_error", "resource_missing")
                row.update(status="expired", url=None)
                return row
            case ("GET", "v1", "payment_intents", intent_id):
                return _plain(_found(account.intents, intent_id), form)
            case ("POST", "v1", "payment_methods", method_id, "detach"):
                row = _found(account.methods, method_id)
                row["customer"] = None
                return row
        raise Refused(404, "invalid_request_error", "resource_missing")

    def _page(self, session_id: str) -> None:
        """Send the page on which a person pays, with one button."""
        session = self.account.sessions.get(session_id, {})
        page = (
            f"<!doctype html><title>Stand-in checkout</title><h1>{session.get('amount_total')} "
            f"{session.get('currency')}</h1><form method=post><button id=pay>Pay</button></form>"
        )
        self._send_bytes(200, page.encode(), "text/html")

    def _paid(self, session_id: str) -> None:
        stand_in = StandIn(self._base, self.account)
        session = self.account.sessions[session_id]
        (stand_in.save_card if session["mode"] == "setup" else stand_in.pay)(session_id)
        self.send_response(303)
        self.send_header("Location", session["success_url"].replace("{CHECKOUT_SESSION_ID}", session_id))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: int, said: Mapping[str, Any]) -> None:
        self._send_bytes(status, json.dumps(said).encode(), "application/json")

    def _send_bytes(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def stand_in_stripe() -> Iterator[StandIn]:
    account = Account()
    handler = type("Handler", (_Handler,), {"account": account})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield StandIn(f"http://127.0.0.1:{server.server_address[1]}", account)
    finally:
        server.shutdown()
        server.server_close()
