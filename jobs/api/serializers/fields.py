"""Serializes the fields, tax rates and items of documents."""

from typing import Any

from rest_framework import serializers

from jobs.api.serializers.boxes import BoxField


class FieldSerializer(serializers.Serializer[Any]):
    """A field of a document, such as the total of an invoice."""

    name = serializers.CharField(help_text="Such as `invoice_number`, `issue_date`, `supplier` or `total`.")
    value = serializers.CharField(help_text="As it is written on the page.")
    normalized = serializers.CharField(allow_null=True, help_text="For programs. Null if it is not clear.")
    type = serializers.CharField(help_text="`text`, `date`, `amount`, `currency`, `iban`, or a type of own fields.")
    page = serializers.IntegerField()
    box = BoxField(allow_null=True, help_text="Four corners.")
    quote = serializers.CharField(help_text="The line of the page that shows the value.")
    confidence = serializers.FloatField()
    label = serializers.CharField(required=False, help_text="The label beside an own field.")  # type: ignore[assignment]  # the answer calls it so
    ambiguous = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The two dates that a numeric date may mean."
    )
    index = serializers.IntegerField(required=False, help_text="Position among several values of the field, from 0.")
    own = serializers.BooleanField(required=False, help_text="Whether it is a field that you defined.")
    corrected = serializers.BooleanField(required=False, help_text="Whether a person corrected or confirmed it.")
    read = serializers.DictField(
        required=False, allow_null=True, help_text="What was read, if it was corrected. Null if nothing was."
    )


class TaxRateSerializer(serializers.Serializer[Any]):
    """The tax of one rate on an invoice or receipt."""

    rate = serializers.CharField(help_text="In percent.")
    net = serializers.CharField()
    tax = serializers.CharField()
    page = serializers.IntegerField()
    box = BoxField(allow_null=True)
    quote = serializers.CharField()
    confidence = serializers.FloatField()


class LineItemSerializer(serializers.Serializer[Any]):
    """An item of an invoice."""

    description = serializers.CharField(allow_null=True)
    quantity = serializers.CharField(allow_null=True)
    unit_price = serializers.CharField(allow_null=True)
    tax_rate = serializers.CharField(allow_null=True, help_text="In percent.")
    amount = serializers.CharField()
    page = serializers.IntegerField()
    box = BoxField(allow_null=True)
    confidence = serializers.FloatField()
