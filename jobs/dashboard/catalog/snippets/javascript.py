"""A call in JavaScript with `fetch`, which Node.js and browsers have."""

import json

from inference.core.contracts import Json
from jobs.dashboard.catalog.snippets.call import SAMPLE_PATH, Call
from jobs.dashboard.catalog.snippets.curl import json_code
from jobs.dashboard.catalog.snippets.layout import json_text

MAX_EXACT = 2**53
"""The largest number up to which JavaScript has every integer."""

_CODE = """\
// Node.js 20 or newer, saved as an .mjs file. Do not publish your key in a web page.
{imports}const service = {service};
const headers = {{
  Authorization: {authorization},
  Prefer: "wait=60",{content_type}
}};
{body}
let answer = await fetch(`${{service}}/v1/jobs`, {{ method: "POST", headers, body }});
let job = await answer.json();
while (answer.ok && !job.finished_at) {{
  answer = await fetch(service + job.urls.self, {{ headers }});
  job = await answer.json();
}}
if (!answer.ok) throw new Error(job.detail);
{printed}"""
_IMPORTS = 'import { readFile } from "node:fs/promises";\n\n'
_CONTENT_TYPE = '\n  "Content-Type": "application/json",'


def javascript_code(call: Call, base_url: str) -> str:
    return _CODE.format(
        imports=_IMPORTS if call.file_name and not call.sample else "",
        authorization=json_text(f"Bearer {call.key}") if call.key else "`Bearer ${process.env.MAAS_API_KEY}`",
        service=json_text(base_url),
        content_type="" if call.file_name else _CONTENT_TYPE,
        body=_form(call) if call.file_name else _json_body(call),
        printed=_printed(call.shows),
    )


def _form(call: Call) -> str:
    name = json_text(call.file_name)
    sample = f"await (await fetch(service + {json_text(SAMPLE_PATH)})).blob()"
    file = sample if call.sample else f"new Blob([await readFile({name})])"
    lines = [
        "const body = new FormData();",
        f'body.append("model", {json_text(call.model)});',
        f'body.append("file", {file}, {name});',
    ]
    if call.parameters:
        parameters = json_code(dict(call.parameters))
        lines.append(f'body.append("parameters", JSON.stringify({parameters}));')
    if call.priority:
        lines.append(f'body.append("priority", {json_text(call.priority)});')
    return "\n".join(lines)


def _json_body(call: Call) -> str:
    if _differs(call.body):
        return f"const body = {json_text(json.dumps(call.body))};"
    return f"const body = JSON.stringify({json_code(dict(call.body))});"


def _differs(value: Json) -> bool:
    match value:
        case dict():
            return "__proto__" in value or any(_differs(item) for item in value.values())
        case list():
            return any(_differs(item) for item in value)
    return isinstance(value, int) and abs(value) > MAX_EXACT


def _printed(shows: str) -> str:
    if shows == "text":
        return "console.log(job.result.text);"
    return f"for (const page of job.result.pages) console.log(JSON.stringify(page[{json_text(shows)}]));"
