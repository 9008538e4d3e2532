"""Durations and ages as text, in the same format on every page of the dashboard. Pure."""

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
_UNITS = ((DAY_S, "d"), (HOUR_S, "h"), (MINUTE_S, "min"), (1, "s"))


def duration(seconds: float) -> str:
    """Describe a duration: 0 ms, 40 ms, 2.4 s, 12 s, 1 min 5 s, 3 h 20 min, 2 d 4 h. Only zero is 0 ms."""
    if seconds < 0.9995:
        return f"{max(1, round(seconds * 1000)) if seconds > 0 else 0} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return _in_two_units(round(seconds))


def _in_two_units(rest: int) -> str:
    parts: list[str] = []
    for size, unit in _UNITS:
        count, rest = divmod(rest, size)
        if count or parts:
            parts.append(f"{count} {unit}")
    return " ".join(part for part in parts[:2] if not part.startswith("0 "))


def age(seconds: float) -> str:
    """Describe an age in the single most useful unit: 45 s, 3 min, 47 h, 12 days."""
    whole = max(0, int(seconds))
    if whole < MINUTE_S:
        return f"{whole} s"
    if whole < HOUR_S:
        return f"{whole // MINUTE_S} min"
    return f"{whole // HOUR_S} h" if whole < 2 * DAY_S else f"{whole // DAY_S} days"
