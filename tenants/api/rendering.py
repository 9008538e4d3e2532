"""JSON of the API's answers, in which every time has one form."""

from datetime import datetime
from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from tenants.core.times import rfc3339


class _Encoder(JSONEncoder):
    def default(self, obj: Any) -> Any:
        return rfc3339(obj) if isinstance(obj, datetime) else super().default(obj)


class TimedJSONRenderer(JSONRenderer):
    """Renders times that come past a serializer as the serializers write theirs (`DATETIME_FORMAT`)."""

    encoder_class = _Encoder
