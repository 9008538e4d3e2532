"""A developer with models of their own: uploads, waits and calls as a program makes them."""

import json
from secrets import token_hex
from typing import Self

import httpx

from tests.samples.hostile_models import Feeds
from tests.waiting import eventually

from .caller import Caller, Json
from .product import Account, Product

SCOPES = "models:read models:write jobs:read jobs:write"
CHECK_S = 240.0
CHECKED = frozenset({"ready", "refused", "retired"})


class Developer(Caller):
    """A caller whose key may upload models."""

    def __init__(self, product: Product, account: Account) -> None:
        super().__init__(product.running.url, product.new_key(account, SCOPES))

    @classmethod
    def with_key(cls, url: str, key: str) -> Self:
        """Return another program with the same key."""
        made = cls.__new__(cls)
        Caller.__init__(made, url, key)
        return made

    def post_model(self, name: str, data: bytes) -> httpx.Response:
        files = {"file": ("model.onnx", data)}
        return self.http.post("/v1/models", data={"name": name, "license": "MIT"}, files=files)

    def upload_model(self, data: bytes, name: str = "") -> Json:
        """Upload a file as the next version of a model, or of a new one, and return the version as it is described."""
        response = self.post_model(name or f"own-{token_hex(4)}", data)
        assert response.status_code == 202, response.text[:500]
        return dict(response.json())

    def version(self, name: str, number: int) -> Json:
        return self.get(f"/v1/models/{name}/versions/{number}")

    def checked(self, name: str, number: int, timeout_s: float = CHECK_S) -> Json:
        """Wait until the version is checked, and return it."""

        def look() -> Json | None:
            version = self.version(name, number)
            return version if version["state"] in CHECKED else None

        return eventually(look, f"the end of the checks of {name}@{number}", timeout_s)

    def ready_model(self, data: bytes, name: str = "") -> Json:
        uploaded = self.upload_model(data, name)
        version = self.checked(uploaded["model"], uploaded["version"])
        assert version["state"] == "ready", version["report"]
        return version

    def infer(self, reference: str, feeds: Feeds) -> httpx.Response:
        """Call a model by its name, or by `name@3` or `name@alias`."""
        inputs = [
            {"name": name, "datatype": datatype, "shape": list(shape), "data": list(values)}
            for name, (datatype, shape, values) in feeds.items()
        ]
        body = json.dumps({"inputs": inputs})
        return self.http.post(
            f"/v2/models/{reference}/infer", content=body, headers={"Content-Type": "application/json"}
        )
