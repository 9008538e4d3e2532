"""Date formats in the admin: the same form as in the dashboard, but to the second and in UTC, as in logs."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = r"j M Y, H:i:s \U\T\C"
