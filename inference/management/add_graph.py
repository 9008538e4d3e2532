"""The command `manage.py models add-graph`, which registers a pipeline that is declared in a JSON file."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inference.cache.terms import CacheTerms
from inference.core.contracts import Json
from inference.pipelines.declaration import MAX_CHARACTERS
from inference.registry.errors import PipelineInvalid
from inference.registry.models import ModelVersion
from inference.registry.pipelines import PipelineUpload, add_pipeline
from tenants.plans.prices import Price


def describe_arguments(add: ArgumentParser) -> None:
    """Add the arguments of this command to those that every added model has."""
    add.add_argument("file", type=Path, help="declaration of the pipeline, in JSON")
    add.add_argument(
        "--member",
        action="append",
        default=[],
        metavar="ROLE=MODEL@VERSION",
        help="model version for a role; repeat for each role",
    )


def add_graph(
    options: Mapping[str, Any], price: Price, cached: CacheTerms, *, review_price_micros: int | None
) -> ModelVersion:
    upload = PipelineUpload(
        declared=_read(options["file"]),
        members=_members(options["member"]),
        name=options["name"],
        title=options["title"],
        description=options["description"],
        price=price,
        cached=cached,
        review_price_micros=review_price_micros,
        reprice=options["price_micros"] is not None,
        retime=options["cache_ttl_s"] is not None,
    )
    return add_pipeline(upload, make_current=not options["keep_current"])


def _read(path: Path) -> Json:
    try:
        with path.open("rb") as file:
            raw = file.read(4 * MAX_CHARACTERS + 1)
    except OSError as error:
        raise PipelineInvalid(f"{path} cannot be read: {error.strerror}.") from error
    if len(raw) > 4 * MAX_CHARACTERS:
        raise PipelineInvalid(f"{path} is larger than {4 * MAX_CHARACTERS} bytes.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise PipelineInvalid(f"{path} is not JSON: {error}.") from error


def _members(given: list[str]) -> dict[str, str]:
    members: dict[str, str] = {}
    for assignment in given:
        role, equals, reference = assignment.partition("=")
        if not role or not equals or not reference:
            raise PipelineInvalid(f"--member {assignment!r:.80} is invalid. Use role=model@version.")
        if role in members:
            raise PipelineInvalid(f"--member sets the role {role!r} twice.")
        members[role] = reference
    return members
