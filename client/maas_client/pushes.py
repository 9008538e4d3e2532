"""The content of a new version of a model, and the request that sends it."""

import json
from collections.abc import Mapping
from typing import Any, TypedDict

from maas_client.exchange import Request
from maas_client.submissions import LONGEST_FETCH_S, key_header
from maas_client.uploads import FilePart, Progress, Source, file_part

MODELS = "/v1/models"


class About(TypedDict, total=False):
    """The options of a new version, besides its name, its file and its license."""

    title: str
    """The name of the model for people."""
    description: str
    card: str
    """The model's card in Markdown."""
    labels: Mapping[str, str]
    url: str
    """The URL from which the service fetches the file, instead of a file: `https://…`, without a sign-in."""
    progress: Progress
    idempotency_key: str
    """Your own key for this version. The same key within a day returns the same version. The default is a new key."""


def file_of(source: Source | None, about: About) -> FilePart | None:
    """Return the file to send, or None if the service fetches it. Exactly one of both must be given."""
    if (source is None) == ("url" not in about):
        raise TypeError("Give exactly one of a file and url=….")
    return None if source is None else file_part(source, progress=about.get("progress"))


def push_request(
    name: str, license: str, about: About, *, part: FilePart | None = None, upload: str | None = None
) -> Request:
    """Build the request from the file itself, from the id of its upload, or from the URL in `about`."""
    form: dict[str, str] = {"name": name, "license": license}
    form |= {key: str(value) for key, value in _texts(about).items()}
    if "labels" in about:
        form["labels"] = json.dumps(dict(about["labels"]))
    if upload is not None:
        form["upload"] = upload
    held_s = LONGEST_FETCH_S if "url" in about else 0.0
    headers = key_header(about.get("idempotency_key"))
    return Request("POST", MODELS, form=form, file=part, headers=headers, held_s=held_s)


def _texts(about: About) -> dict[str, Any]:
    return {key: value for key, value in about.items() if key in ("title", "description", "card", "url")}
