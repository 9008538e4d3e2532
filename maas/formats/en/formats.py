"""Moments as operators compare them with logs: to the second, in UTC, in an order that sorts."""

DATE_FORMAT = "Y-m-d"
DATETIME_FORMAT = "Y-m-d H:i:s"
