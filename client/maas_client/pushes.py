"""The content of a new version of a model, and the request that sends it."""

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from maas_client.exchange import Request
from maas_client.submissions import key_header
from maas_client.uploads import FilePart, Progress

MODELS = "/v1/models"


class About(TypedDict, total=False):
    """The options of a new version, besides its name, its file and its license."""

    title: str
    """The name of the model for people."""
    description: str
    card: str
    """The model's card in Markdown."""
    labels: Mapping[str, str]
    lineage: Mapping[str, Any]
    """The description of what the file was made from."""
    progress: Progress
    idempotency_key: str
    """Your own key for this version. The same key within a day returns the same version. The default is a new key."""


def push_request(part: FilePart, name: str, license: str, about: About) -> Request:
    form: dict[str, str] = {"name": name, "license": license}
    form |= {key: str(value) for key, value in about.items() if key in ("title", "description", "card")}
    form |= {key: json.dumps(value) for key, value in about.items() if key in ("labels", "lineage")}
    return Request("POST", MODELS, form=form, file=part, headers=key_header(about.get("idempotency_key")))
