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
    "description": "Number of the model version.",
}
_HEADER_LENGTH: Json = {
    "in": "header",
    "name": "Inference-Header-Content-Length",
    "schema": {"type": "integer", "minimum": 0},
    "description": "Length of the JSON in bytes, if raw tensor bytes follow it.",
}
_CACHE: Json = {
    "schema": {"type": "string", "enum": ["HIT", "MISS", "COALESCED", "BYPASS"]},
    "description": "Whether the result came from the cache.",
}
_TIMING: Json = {"schema": {"type": "string"}, "description": "Time spent in each stage."}
_BYTES: Json = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


def paths() -> dict[str, Json]:
    return {
        "/v2": {"get": _read("server_metadata", "Show server metadata", "ServerMetadata")},
        "/v2/health/live": {"get": _health("server_live", "Check that the server is live", "live")},
        "/v2/health/ready": {"get": _health("server_ready", "Check that the server is ready", "ready")},
        "/v2/models/stats": {
            "get": _read("statistics_of_all_models", "Show statistics of all models", "ModelStatistics")
        },
        **_of_models("", "model_metadata", "Show the metadata of {}", "ModelMetadata"),
        **_of_models("/ready", "model_ready", "Check that {} is ready", "ModelReady"),
        **_of_models("/config", "model_configuration", "Show the configuration of {}", "ModelConfiguration"),
        **_of_models("/stats", "model_statistics", "Show the statistics of {}", "ModelStatistics"),
        **_of_models("/infer", "infer", "Run {}", "InferAnswer"),
        "/v2/repository/index": {"post": _index()},
        "/v2/repository/models/{name}/load": {"post": _refused("load_model", "Load a model")},
        "/v2/repository/models/{name}/unload": {"post": _refused("unload_model", "Unload a model")},
    }


def _of_models(end: str, name: str, summary: str, answer: str) -> dict[str, Json]:
    """Describe an operation on a model and on one of its versions. The summary has `{}` for what it is about."""
    current, versioned = f"/v2/models/{{name}}{end}", f"/v2/models/{{name}}/versions/{{version}}{end}"
    of_model, of_version = summary.format("a model"), summary.format("a model version")
    if end == "/infer":
        return {
            current: {"post": _infer(name, of_model, [_NAME])},
            versioned: {"post": _infer(f"{name}_by_version", of_version, [_NAME, _VERSION])},
        }
    return {
        current: {"get": _read(name, of_model, answer, [_NAME])},
        versioned: {"get": _read(f"{name}_by_version", of_version, answer, [_NAME, _VERSION])},
    }


def _read(name: str, summary: str, answer: str, parameters: list[Json] | None = None) -> Json:
    operation = _operation(name, summary, parameters)
    operation["responses"] = {"200": _answered(_ref(answer)), **_refusals()}
    return operation


def _health(name: str, summary: str, flag: str) -> Json:
    schema = {"type": "object", "required": [flag], "properties": {flag: {"type": "boolean"}}}
    operation = _operation(name, summary)
    operation["security"] = []
    operation["responses"] = {"200": _answered(schema), **_refusals()}
    return operation


def _infer(name: str, summary: str, parameters: list[Json]) -> Json:
    operation = _operation(name, summary, [*parameters, _HEADER_LENGTH])
    operation["requestBody"] = {
        "required": True,
        "content": {"application/json": {"schema": _ref("InferRequest")}, **_BYTES},
    }
    answered = _answered(_ref("InferAnswer"), **_BYTES)
    answered["headers"] = {"X-Cache": _CACHE, "Server-Timing": _TIMING}
    operation["responses"] = {"200": answered, **_refusals()}
    return operation


def _index() -> Json:
    operation = _operation("repository_index", "List the models of the repository")
    wanted = {"type": "object", "properties": {"ready": {"type": "boolean"}}}
    operation["requestBody"] = {"content": {"application/json": {"schema": wanted}}}
    operation["responses"] = {
        "200": _answered({"type": "array", "items": _ref("IndexEntry")}),
        **_refusals(),
    }
    return operation


def _refused(name: str, summary: str) -> Json:
    operation = _operation(name, summary, [_NAME])
    operation["description"] = "Always refused: only an operator chooses which models are served."
    operation["responses"] = _refusals()
    return operation


def _operation(name: str, summary: str, parameters: list[Json] | None = None) -> Json:
    return {
        "operationId": f"v2_{name}",
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
        "4XX": {"description": "The request is invalid or not allowed.", "content": content},
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
        "examples": [{"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["an invoice"]}]}],
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
            "data": {
                "type": "array",
                "description": "The values, nested or flat. Left out if raw bytes follow the JSON.",
            },
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
