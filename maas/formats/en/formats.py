"""Days and moments in the admin: in the dashboard's form, to the second and in UTC, as in logs."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = r"j M Y, H:i:s \U\T\C"
