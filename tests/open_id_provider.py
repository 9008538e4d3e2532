"""A small OpenID provider over HTTP. It signs everyone in as the person a test names, and makes false claims on
demand.
"""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID, SECRET = "document-ai", "a-secret-of-two"


@cache
def own_key() -> rsa.RSAPrivateKey:
    """Return a key that is made once in a process, because that takes longer than most tests of sign-on."""
    return rsa.generate_private_key(65537, 2048)


@dataclass
class OpenIdProvider:
    url: str
    person: dict[str, Any] = field(default_factory=dict)
    """The claims about the person who signs in."""
    lies: dict[str, Any] = field(default_factory=dict)
    """The claims of ID tokens that are wrong on purpose."""
    userinfo_lies: dict[str, Any] = field(default_factory=dict)
    signs_with: Any = None
    algorithm: str = "RS256"
    refuses: bool = False
    description: dict[str, Any] = field(default_factory=dict)
    keys: Any = field(default_factory=own_key)
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    exchanged: list[dict[str, str]] = field(default_factory=list)
    in_userinfo_only: bool = False
    padded: dict[str, str] = field(default_factory=dict)
    """Padding that is added to a response, by the name of the response."""
    broken: bool = False
    times_described: int = 0

    def be(self, email: str, *, verified: object = True, sub: str = "") -> None:
        self.person = {"sub": sub or uuid4().hex, "email": email, "email_verified": verified, "name": "Ada"}

    def described(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            **self.description,
        }

    def public_keys(self) -> dict[str, Any]:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.keys.public_key()))
        return {"keys": [{**key, "kid": "one", "use": "sig", "alg": "RS256"}]}

    def authorized(self, query: dict[str, str]) -> str:
        """Return the address to which the browser is redirected."""
        if self.refuses:
            return f"{query['redirect_uri']}?{urlencode({'error': 'access_denied', 'state': query['state']})}"
        code = uuid4().hex
        self.asked[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def tokens(self, form: dict[str, str]) -> dict[str, Any] | None:
        """Return the tokens as RFC 6749 and RFC 7636 require: for the client's secret, for each code once, and for its
        verifier.
        """
        self.exchanged.append(form)
        asked = self.asked.pop(form.get("code", ""), None)
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        right = (
            asked is not None
            and form.get("client_id") == CLIENT_ID
            and form.get("client_secret") == SECRET
            and form.get("redirect_uri") == asked["redirect_uri"]
            and base64.urlsafe_b64encode(challenge).rstrip(b"=").decode() == asked.get("code_challenge")
        )
        if not right or asked is None:
            return None
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked.get("nonce"),
        }
        told = {"sub": self.person["sub"]} if self.in_userinfo_only else self.person
        signed = {name: value for name, value in {**claims, **told, **self.lies}.items() if value is not None}
        key = self.keys if self.signs_with is None else self.signs_with
        token = jwt.encode(signed, key, algorithm=self.algorithm, headers={"kid": "one"})
        return {"access_token": uuid4().hex, "token_type": "Bearer", "id_token": token, "expires_in": 300}

    def userinfo(self) -> dict[str, Any]:
        return {**self.person, **self.userinfo_lies}


@contextmanager
def running_provider() -> Iterator[OpenIdProvider]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    provider = OpenIdProvider(f"http://127.0.0.1:{server.server_address[1]}")
    server.provider = provider  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def provider(self) -> OpenIdProvider:
        found: OpenIdProvider = self.server.provider  # type: ignore[attr-defined]
        return found

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        match parts.path:
            case "/.well-known/openid-configuration":
                self.provider.times_described += 1
                self._say(
                    self._padded("description", self.provider.described()),
                    503 if self.provider.broken else 200,
                )
            case "/keys":
                self._say(self._padded("keys", self.provider.public_keys()))
            case "/userinfo":
                self._say(self._padded("userinfo", self.provider.userinfo()))
            case "/authorize":
                self.send_response(302)
                self.send_header("Location", self.provider.authorized(_first(parts.query)))
                self.send_header("Content-Length", "0")
                self.end_headers()
            case _:
                self._say({"error": "not_found"}, 404)

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        tokens = self.provider.tokens(_first(sent))
        self._say(self._padded("token", tokens) if tokens else {"error": "invalid_grant"}, 200 if tokens else 400)

    def _padded(self, part: str, answer: dict[str, Any]) -> dict[str, Any]:
        more = self.provider.padded.get(part)
        return {**answer, "padding": more} if more else answer

    def _say(self, what: dict[str, Any], status: int = 200) -> None:
        body = json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def _first(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
