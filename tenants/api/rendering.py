"""JSON of the API's responses, in which every time has the same format."""

from datetime import datetime
from typing import Any

from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from tenants.core.times import rfc3339


class _Encoder(JSONEncoder):
    def default(self, obj: Any) -> Any:
        return rfc3339(obj) if isinstance(obj, datetime) else super().default(obj)


class TimedJSONRenderer(JSONRenderer):
    """A renderer that writes times outside of serializers in the same format as the serializers (`DATETIME_FORMAT`)."""

    encoder_class = _Encoder
