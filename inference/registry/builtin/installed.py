"""The locations of model files in installed packages, found without importing the packages (one would need torch)."""

from importlib.util import find_spec
from pathlib import Path


class PackageMissing(Exception):
    """A package that carries built-in weights is not installed."""

    code = "builtin_package_missing"


def package_file(package: str, relative: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise PackageMissing(f"the package {package} is not installed; it carries {relative}")
    path = Path(next(iter(spec.submodule_search_locations))) / relative
    if not path.is_file():
        raise PackageMissing(f"the installed package {package} has no file {relative}; reinstall it")
    return path
