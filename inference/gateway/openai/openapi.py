"""Describe `/v1/embeddings` for the OpenAPI document. The gateway answers this path, so Django cannot describe it."""

from inference.core.contracts import Json
from inference.gateway.openai.embedding_request import FORMATS
from inference.runtime.texts import MAX_TEXTS

_TEXT: Json = {"type": "string", "minLength": 1}
_IDS: Json = {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1}
_REFUSAL: Json = {
    "description": "Error in OpenAI's format.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OpenAIError"}}},
}


def paths() -> dict[str, Json]:
    return {
        "/v1/embeddings": {
            "post": {
                "operationId": "create_embeddings",
                "summary": "Create embeddings",
                "tags": ["embeddings"],
                "security": [{"key": []}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": _ref("EmbeddingRequest")}},
                },
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": _ref("Embeddings")}},
                    },
                    "4XX": _REFUSAL,
                    "5XX": _REFUSAL,
                },
            }
        }
    }


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


SCHEMAS: dict[str, Json] = {
    "EmbeddingRequest": {
        "type": "object",
        "required": ["model", "input"],
        "examples": [{"model": "embed", "input": ["an invoice", "a letter"]}],
        "additionalProperties": False,
        "properties": {
            "model": {"type": "string"},
            "input": {
                "anyOf": [
                    _TEXT,
                    {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": MAX_TEXTS},
                    _IDS,
                    {"type": "array", "items": _IDS, "minItems": 1, "maxItems": MAX_TEXTS},
                ]
            },
            "encoding_format": {"type": ["string", "null"], "enum": [*FORMATS, None]},
            "dimensions": {"type": ["integer", "null"], "minimum": 1},
            "user": {"type": ["string", "null"], "description": "Ignored."},
        },
    },
    "Embeddings": {
        "type": "object",
        "required": ["object", "data", "model", "usage"],
        "properties": {
            "object": {"type": "string", "enum": ["list"]},
            "data": {"type": "array", "items": _ref("Embedding")},
            "model": {"type": "string", "description": "Name and version of the model."},
            "usage": {
                "type": "object",
                "required": ["prompt_tokens", "total_tokens"],
                "properties": {"prompt_tokens": {"type": "integer"}, "total_tokens": {"type": "integer"}},
            },
        },
    },
    "Embedding": {
        "type": "object",
        "required": ["object", "index", "embedding"],
        "properties": {
            "object": {"type": "string", "enum": ["embedding"]},
            "index": {"type": "integer"},
            "embedding": {
                "oneOf": [
                    {"type": "array", "items": {"type": "number"}},
                    {"type": "string", "description": "Base64 of little-endian float32."},
                ]
            },
        },
    },
}
