"""Serializes amounts of money."""

from typing import Any

from rest_framework import serializers


class CostSerializer(serializers.Serializer[Any]):
    amount = serializers.CharField(help_text="Decimal number in the main unit of the currency.")
    amount_micros = serializers.IntegerField(help_text="Millionths of the main unit of the currency.")
    currency = serializers.CharField()
