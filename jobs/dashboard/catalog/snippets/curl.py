"""A call as a curl command for bash."""

import json

from inference.core.contracts import Json
from jobs.dashboard.catalog.snippets.call import SAMPLE_PATH, Call
from jobs.dashboard.catalog.snippets.layout import Style, json_text, laid_out, shell_text

_WAIT = "-H 'Prefer: wait=60'"
_KEY = '-H "Authorization: Bearer $MAAS_API_KEY"'
_LATER = "# Not finished within a minute? Request the URL in urls.self of the response again."


def curl_code(call: Call, base_url: str) -> str:
    parts = _form(call) if call.file_name else _json_body(call)
    arguments = [f"curl -sS {shell_text(f'{base_url}/v1/jobs')}", _KEY, _WAIT, *parts]
    key = f"export MAAS_API_KEY={shell_text(call.key)}\n" if call.key else ""
    fetch = f"curl -sSo {call.file_name} {shell_text(base_url + SAMPLE_PATH)}\n" if call.sample else ""
    return f"{key}{fetch}{_LATER}\n" + " \\\n  ".join(arguments)


def json_code(value: Json) -> str:
    return laid_out(value, Style(_scalar))


def _scalar(value: Json) -> str:
    return json_text(value) if isinstance(value, str) else json.dumps(value)


def _json_body(call: Call) -> list[str]:
    return ["-H 'Content-Type: application/json'", f"-d {shell_text(json_code(call.body))}"]


def _form(call: Call) -> list[str]:
    form = [f"-F model={call.model}", f"-F {shell_text(f'file=@{_file(call.file_name)}')}"]
    if call.parameters:
        # This is not -F, which would read a `;type=` in a value as its own option.
        form.append(f"--form-string {shell_text(f'parameters={json_code(dict(call.parameters))}')}")
    if call.priority:
        form.append(f"-F priority={call.priority}")
    return form


def _file(name: str) -> str:
    """Quote a file name as curl's forms require if it has characters with a meaning there."""
    path = "./-" if name == "-" else name
    if path == path.strip() and not set(path) & set('",;\\'):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
