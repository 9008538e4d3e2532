"""The content of a new version of a model, and the request that sends it."""

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from maas_client.exchange import Request
from maas_client.submissions import LONGEST_FETCH_S, key_header
from maas_client.uploads import Progress, Source, file_part

MODELS = "/v1/models"
_OBJECTS = ("labels", "lineage", "pipeline", "members")


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
    url: str
    """The URL from which the service fetches the file, instead of a file: `https://…`, without a sign-in."""
    pipeline: Mapping[str, Any]
    """The declaration of a pipeline, instead of a file."""
    members: Mapping[str, str]
    """The members of the pipeline by role, such as `{"scores": "classifier@2"}`."""
    progress: Progress
    idempotency_key: str
    """Your own key for this version. The same key within a day returns the same version, and continues an upload that
    broke off. The default is a new key."""


def push_request(source: Source | None, name: str, license: str, about: About) -> Request:
    if (source is not None) + ("url" in about) + ("pipeline" in about) != 1:
        raise TypeError("Give exactly one of a file, url=… and pipeline=….")
    form: dict[str, str] = {"name": name, "license": license}
    form |= {key: str(value) for key, value in about.items() if key in ("title", "description", "card", "url")}
    form |= {key: json.dumps(value) for key, value in about.items() if key in _OBJECTS}
    part = None if source is None else file_part(source, progress=about.get("progress"))
    held_s = LONGEST_FETCH_S if "url" in about else 0.0
    headers = key_header(about.get("idempotency_key"))
    return Request("POST", MODELS, form=form, file=part, headers=headers, held_s=held_s)
