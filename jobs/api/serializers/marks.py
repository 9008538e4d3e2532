"""Serializes barcodes, tick boxes and filled-in form fields."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.boxes import BoxField


class CodeSerializer(serializers.Serializer[Any]):
    """A barcode, QR code or other code for machines."""

    symbology = serializers.CharField(help_text="Such as `qr`, `code128`, `ean13`, `data_matrix`, `pdf417` or `aztec`.")
    text = serializers.CharField(help_text="The content. Empty if it is not text.")
    base64 = serializers.CharField(required=False, help_text="The content in Base64 if it is not text.")
    box = BoxField(
        help_text="Four corners, from the top left of the code as it was made.",
    )


class MarkSerializer(serializers.Serializer[Any]):
    """A tick box or radio button."""

    label = serializers.CharField(help_text="The label of the form field, or the text beside the box.")  # type: ignore[assignment]  # the answer's own name
    checked = serializers.BooleanField()
    box = BoxField(help_text="Four corners, without the label.")


class PairSerializer(serializers.Serializer[Any]):
    """A value with its name, such as a filled-in form field."""

    key = serializers.CharField()
    key_box = BoxField(
        allow_null=True,
        help_text="Four corners of the name. Null if it is not printed.",
    )
    value = serializers.CharField()
    value_box = BoxField(help_text="Four corners of the value.")
    confidence = serializers.FloatField()
