"""The message that a person sees when everything runs."""

import shlex
from collections.abc import Mapping
from pathlib import Path


def welcome(url: str, home: Path, demo: Mapping[str, str], metrics_urls: Mapping[str, str]) -> list[str]:
    """Return text lines to print without a prefix, so that the last of them can be pasted."""
    logins = f"{demo.get('MAAS_EMAIL', '?')}  password {demo.get('MAAS_PASSWORD', '?')}"
    operator = f"{demo.get('MAAS_OPERATOR_EMAIL', '?')}  password {demo.get('MAAS_OPERATOR_PASSWORD', '?')}"
    scraped = {"web": f"{url}/metrics", **metrics_urls}
    metrics = "  ".join(f"{name} {address}" for name, address in scraped.items())
    return [
        "",
        f"  Dashboard   {url}/",
        f"              {logins}",
        f"  Admin       {url}/admin/",
        f"              {operator}",
        f"  API docs    {url}/v1/docs",
        f"  Metrics     {metrics}",
        f"  State       {home}  (logins and key: {home / 'demo.env'})",
        "",
        "  Read a scanned document:",
        "",
        curl_line(url, home / "sample.pdf", demo.get("MAAS_API_KEY", "")),
        "",
        "  Ctrl-C stops everything.",
    ]


def curl_line(url: str, sample: Path, key: str) -> str:
    headers = ["-H", f"Authorization: Bearer {key}", "-H", "Prefer: wait=30"]
    fields = ["-F", "model=parse", "-F", f"file=@{sample}"]
    return shlex.join(["curl", "-s", *headers, *fields, f"{url}/v1/jobs"])
