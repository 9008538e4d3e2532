"""The paths that take the file of a model: a new model, its next version, and a variant of a version. Pure."""

import re

_PATH = re.compile(r"/v1/models(?:/[^/]+/versions(?:/[0-9]+/variants)?)?")


def takes_models(path: str) -> bool:
    return _PATH.fullmatch(path) is not None
