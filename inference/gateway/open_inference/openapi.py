"""Describe `/v2` for the OpenAPI document. Django does not serve these paths, so it cannot describe them."""

from inference.core.contracts import Json
from inference.gateway.open_inference.request_fields import MAX_CHARACTERS, MAX_PARAMETERS
from inference.gateway.open_inference.requests import MAX_TENSORS
from inference.runtime.tensors import DATATYPES

_TAG = "open inference"
_NAME: Json = {
    "in": "path",
    "name": "name",
    "required": True,
    "schema": {"type": "string"},
    "description": "Name of the model.",
}
_VERSION: Json = {
    "in": "path",
    "name": "version",
    "required": True,
    "schema": {"type": "string", "pattern": "^[1-9][0-9]{0,8}$"},
}
_HEADER_LENGTH: Json = {
    "in": "header",
    "name": "Inference-Header-Content-Length",
    "schema": {"type": "integer", "minimum": 0},
    "description": "Length of the JSON in bytes, if tensors follow it as bytes.",
}
_CACHE: Json = {
    "schema": {"type": "string", "enum": ["HIT", "MISS", "COALESCED", "BYPASS"]},
    "description": "Whether the answer came from the cache.",
}
_TIMING: Json = {"schema": {"type": "string"}, "description": "Time spent in each stage."}
_BYTES: Json = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


def paths() -> dict[str, Json]:
    return {
        "/v2": {"get": _tells("Server metadata", "ServerMetadata")},
        "/v2/health/live": {"get": _open_to_everyone("Server live", "live")},
        "/v2/health/ready": {"get": _open_to_everyone("Server ready", "ready")},
        "/v2/models/stats": {"get": _tells("Statistics of all models", "ModelStatistics")},
        **_of_models("", "Model metadata", "ModelMetadata"),
        **_of_models("/ready", "Model ready", "ModelReady"),
        **_of_models("/config", "Model configuration", "ModelConfiguration"),
        **_of_models("/stats", "Model statistics", "ModelStatistics"),
        **_of_models("/infer", "Infer", "InferAnswer"),
        "/v2/repository/index": {"post": _index()},
        "/v2/repository/models/{name}/load": {"post": _refused("Load model")},
        "/v2/repository/models/{name}/unload": {"post": _refused("Unload model")},
    }


def _of_models(end: str, summary: str, answer: str) -> dict[str, Json]:
    current, versioned = f"/v2/models/{{name}}{end}", f"/v2/models/{{name}}/versions/{{version}}{end}"
    if end == "/infer":
        return {
            current: {"post": _infer(summary, [_NAME])},
            versioned: {"post": _infer(f"{summary} by version", [_NAME, _VERSION])},
        }
    return {
        current: {"get": _tells(summary, answer, [_NAME])},
        versioned: {"get": _tells(f"{summary} by version", answer, [_NAME, _VERSION])},
    }


def _tells(summary: str, answer: str, parameters: list[Json] | None = None) -> Json:
    said = _operation(summary, parameters)
    said["responses"] = {"200": _answered(_ref(answer)), **_refusals()}
    return said


def _open_to_everyone(summary: str, flag: str) -> Json:
    schema = {"type": "object", "required": [flag], "properties": {flag: {"type": "boolean"}}}
    said = _operation(summary)
    said["security"] = []
    said["responses"] = {"200": _answered(schema), **_refusals()}
    return said


def _infer(summary: str, parameters: list[Json]) -> Json:
    said = _operation(summary, [*parameters, _HEADER_LENGTH])
    said["requestBody"] = {
        "required": True,
        "content": {"application/json": {"schema": _ref("InferRequest")}, **_BYTES},
    }
    answered = _answered(_ref("InferAnswer"), **_BYTES)
    answered["headers"] = {"X-Cache": _CACHE, "Server-Timing": _TIMING}
    said["responses"] = {"200": answered, **_refusals()}
    return said


def _index() -> Json:
    said = _operation("Repository index")
    wanted = {"type": "object", "properties": {"ready": {"type": "boolean"}}}
    said["requestBody"] = {"content": {"application/json": {"schema": wanted}}}
    said["responses"] = {
        "200": _answered({"type": "array", "items": _ref("IndexEntry")}),
        **_refusals(),
    }
    return said


def _refused(summary: str) -> Json:
    said = _operation(summary, [_NAME])
    said["description"] = "Always refused: only an operator chooses which models are served."
    said["responses"] = _refusals()
    return said


def _operation(summary: str, parameters: list[Json] | None = None) -> Json:
    return {
        "operationId": "v2_" + "_".join(summary.lower().replace(",", "").replace("'", "").split()),
        "summary": summary,
        "tags": [_TAG],
        "security": [{"key": []}],
        **({"parameters": parameters} if parameters else {}),
    }


def _answered(schema: Json, **others: Json) -> Json:
    return {"description": "", "content": {"application/json": {"schema": schema}, **others}}


def _refusals() -> dict[str, Json]:
    content = {"application/json": {"schema": _ref("InferenceRefusal")}}
    return {
        "4XX": {"description": "What was wrong with the request.", "content": content},
        "5XX": {
            "description": "A part of the service is unavailable, overloaded or too slow.",
            "content": content,
        },
    }


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: str, **optional: Json) -> Json:
    """Return the schema of an object. The fields in `required` are strings, and `optional` has the schemas of other
    fields.
    """
    names = required.split()
    return {
        "type": "object",
        "required": names,
        "properties": {name: {"type": "string"} for name in names} | optional,
    }


def _list_of(item: Json, most: int | None = None) -> Json:
    return {"type": "array", "items": item, **({} if most is None else {"maxItems": most})}


_WHOLE: Json = {"type": "integer"}
_SHAPE = _list_of({"type": "integer", "minimum": -1})
_DATATYPE: Json = {"type": "string", "enum": sorted({*DATATYPES.values()})}
_TENSOR_NAME: Json = {"type": "string", "minLength": 1, "maxLength": MAX_CHARACTERS}
_PARAMETERS: Json = {
    "type": "object",
    "maxProperties": MAX_PARAMETERS,
    "additionalProperties": {"type": ["string", "number", "boolean"]},
}
_COUNTED: Json = {
    "type": "object",
    "required": ["count", "ns"],
    "properties": {"count": _WHOLE, "ns": _WHOLE},
}
_TOLD_TENSOR = _object("name datatype", datatype=_DATATYPE, shape=_SHAPE)
_CONFIGURED_TENSOR = _object("name data_type", dims=_SHAPE)

SCHEMAS: dict[str, Json] = {
    "ServerMetadata": _object("name version extensions", extensions=_list_of({"type": "string"})),
    "ModelMetadata": _object(
        "name versions platform inputs outputs",
        versions=_list_of({"type": "string"}),
        inputs=_list_of(_TOLD_TENSOR),
        outputs=_list_of(_TOLD_TENSOR),
    ),
    "ModelReady": _object("name ready", ready={"type": "boolean"}),
    "ModelConfiguration": _object(
        "name platform version_policy max_batch_size input output",
        version_policy={"type": "object"},
        max_batch_size=_WHOLE,
        input=_list_of(_CONFIGURED_TENSOR),
        output=_list_of(_CONFIGURED_TENSOR),
    ),
    "ModelStatistics": _object("model_stats", model_stats=_list_of(_ref("StatisticsOfModel"))),
    "StatisticsOfModel": _object(
        "name version last_inference inference_count execution_count inference_stats batch_stats",
        last_inference=_WHOLE,
        inference_count=_WHOLE,
        execution_count=_WHOLE,
        inference_stats={"type": "object", "additionalProperties": _COUNTED},
        batch_stats=_list_of({"type": "object"}),
    ),
    "IndexEntry": _object("name version state", reason={"type": "string"}),
    "InferRequest": {
        "type": "object",
        "examples": [
            {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["an invoice"]}]}
        ],
        "required": ["inputs"],
        "properties": {
            "id": {"type": "string", "maxLength": MAX_CHARACTERS},
            "parameters": _PARAMETERS,
            "inputs": _list_of(_ref("InferInput"), MAX_TENSORS),
            "outputs": _list_of(_ref("WantedOutput"), MAX_TENSORS),
        },
    },
    "InferInput": {
        "type": "object",
        "required": ["name", "datatype", "shape"],
        "properties": {
            "name": _TENSOR_NAME,
            "datatype": _DATATYPE,
            "shape": _list_of({"type": "integer", "minimum": 0}),
            "parameters": _PARAMETERS,
            "data": {"type": "array", "description": "Nested or flat. Omitted if bytes follow."},
        },
    },
    "WantedOutput": {
        "type": "object",
        "required": ["name"],
        "properties": {"name": _TENSOR_NAME, "parameters": _PARAMETERS},
    },
    "InferAnswer": _object(
        "model_name model_version outputs", id={"type": "string"}, outputs=_list_of(_ref("InferOutput"))
    ),
    "InferOutput": _object(
        "name datatype shape",
        datatype=_DATATYPE,
        shape=_SHAPE,
        data={"type": "array"},
        parameters=_PARAMETERS,
    ),
    "InferenceRefusal": _object("error code request_id", gate={"type": "string"}),
}
