"""Shows the values of a spreadsheet as their number formats say: dates, times, percentages and amounts of money."""

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0;-$#,##0", 6: "$#,##0;-$#,##0", 7: "$#,##0.00;-$#,##0.00",
    8: "$#,##0.00;-$#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
    37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 45: "mm:ss",
    46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""The formats that workbooks name by number alone. Those that depend on the reader's country have the ISO form."""
_MAX_FORMAT = 255
_MAX_DECIMALS = 30
_TOKEN = re.compile(
    r'"([^"]*)"|\\(.)|_(?:.)|\*(?:.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[(h+|m+|s+)\]|\[[^\]]*\]'
    r"|(AM/PM|A/P)|(y+|m+|d+|h+|s+)|(\.0+(?=$|[^0#?,.]))|(General|@)|(E[+-])|(.)",
    re.IGNORECASE | re.DOTALL,
)
_DIGITS = frozenset("0#?.,")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LAST_DAY = 2_958_466
"""The day number after 9999-12-31, the last that a spreadsheet shows."""


def shown(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return a number as its format shows it. A format that cannot be read shows the number as it is."""
    if not math.isfinite(value):
        return ""
    sections = _sections(code[:_MAX_FORMAT])
    section, is_own = _section_for(value, sections)
    if not section or any(kind == "general" for kind, _ in section):
        literal = "".join(text for kind, text in section if kind == "text")
        return f"{literal}{general(value)}" if section else general(value)
    if any(kind in {"date", "elapsed", "half"} for kind, _ in section):
        return _date(value, section, since_1904=since_1904)
    return _number(abs(value) if is_own else value, section)


def general(value: float) -> str:
    """Return a number as a cell without a format shows it, with eleven digits at most."""
    if value == int(value) and abs(value) < 1e11:
        return str(int(value))
    if 1e-9 <= abs(value) < 1e11:
        text = f"{value:.{max(0, 10 - math.floor(math.log10(abs(value))))}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, exponent = f"{value:.5E}".split("E")
    return f"{mantissa.rstrip('0').rstrip('.')}E{exponent[0]}{int(exponent[1:]):02}"


_Tokens = Sequence[tuple[str, str]]


@lru_cache(512)
def _sections(code: str) -> tuple[_Tokens, ...]:
    sections: list[list[tuple[str, str]]] = [[]]
    for match in _TOKEN.finditer(code):
        quoted, escaped, currency, elapsed, half, date, fraction, general_, power, other = match.groups()
        if other == ";":
            sections.append([])
        elif quoted is not None or escaped is not None or currency is not None:
            sections[-1].append(("text", quoted or escaped or currency or ""))
        elif elapsed is not None:
            sections[-1].append(("elapsed", elapsed.lower()))
        elif half is not None:
            sections[-1].append(("half", half))
        elif date is not None:
            sections[-1].append(("date", date.lower()))
        elif fraction is not None:
            sections[-1].append(("fraction", fraction))
        elif general_ is not None:
            sections[-1].append(("general", ""))
        elif power is not None:
            sections[-1].append(("power", power))
        elif other is not None:
            sections[-1].append(("digit" if other in _DIGITS else "percent" if other == "%" else "text", other))
    return tuple(map(tuple, sections[:4]))


def _section_for(value: float, sections: Sequence[_Tokens]) -> tuple[_Tokens, bool]:
    """Return the section for the value, and whether the section shows the sign itself."""
    if len(sections) >= 3 and value == 0:
        return sections[2], True
    if len(sections) >= 2 and value < 0:
        return sections[1], True
    return sections[0], False


def _number(value: float, section: _Tokens) -> str:
    kinds = [kind for kind, _ in section]
    if "text" in kinds and any(text == "/" for kind, text in section if kind == "text") and "digit" in kinds:
        return general(value)  # A fraction, such as 3 1/4, is shown as the number that it is.
    form = "".join(text for kind, text in section if kind in {"digit", "fraction"})
    if not form:
        sign = "-" if value < 0 and "text" not in kinds else ""
        return sign + "".join(text for kind, text in section if kind == "text").strip()
    value *= 100 ** kinds.count("percent")
    if "power" in kinds:
        before = "".join(text for kind, text in section[: kinds.index("power")] if kind in {"digit", "fraction"})
        mantissa, exponent = f"{value:.{_decimals(before)}E}".split("E")
        return f"{mantissa}E{exponent[0]}{int(exponent[1:]):02}"
    whole, _, after = form.partition(".")
    scale = len(form) - len(form.rstrip(","))
    value /= 1000**scale
    digits = f"{abs(value):{',' if ',' in whole.rstrip(',') else ''}.{_decimals(form)}f}"
    optional = len(after.rstrip(",")) - len(after.rstrip(",").rstrip("#?"))
    if optional and "." in digits:
        kept = len(digits) - optional
        digits = (digits[:kept] + digits[kept:].rstrip("0")).rstrip(".")
    least = whole.count("0")
    if not least and digits.startswith("0"):
        digits = digits[1:] if digits != "0" else ""
    digits = digits.rjust(least + (len(digits) - len(digits.partition(".")[0])), "0") if least > 1 else digits
    sign = "-" if value < 0 and any(char in "123456789" for char in digits) else ""
    return _in_place(section, sign, digits)


def _decimals(form: str) -> int:
    after = form.partition(".")[2]
    return min(_MAX_DECIMALS, sum(char in "0#?" for char in after))


def _in_place(section: _Tokens, sign: str, digits: str) -> str:
    """Return the digits between the texts of their section, with the sign before all."""
    text, placed = sign, False
    for kind, piece in section:
        if kind in {"digit", "fraction"}:
            text += "" if placed else digits
            placed = True
        else:
            text += piece
    return text.strip()


def _date(value: float, section: _Tokens, *, since_1904: bool) -> str:
    if not 0 <= value < _LAST_DAY:
        return general(value)
    decimals = max((len(text) - 1 for kind, text in section if kind == "fraction"), default=0)
    step = 10 ** min(3, decimals)
    ticks = round(value * 86_400 * step)
    moment = _moment(ticks, step, since_1904=since_1904)
    has_half = any(kind == "half" for kind, _ in section)
    return "".join(
        _part_of_date(section, position, moment, ticks / step, has_half=has_half) for position in range(len(section))
    ).strip()


def _moment(ticks: int, step: int, *, since_1904: bool) -> datetime:
    if since_1904:
        start = datetime(1904, 1, 1)  # Spreadsheets have no time zones.
    else:
        # Spreadsheets count a 29th of February 1900, which never was.
        start = datetime(1899, 12, 31) if ticks < 60 * 86_400 * step else datetime(1899, 12, 30)
    try:
        return start + timedelta(microseconds=ticks * (1_000_000 // step))
    except OverflowError:
        return datetime.max


def _part_of_date(section: _Tokens, position: int, moment: datetime, seconds: float, *, has_half: bool) -> str:
    kind, text = section[position]
    match kind:
        case "half":
            return "AM" if moment.hour < 12 else "PM"
        case "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[text[0]]
            return f"{int(seconds // unit):0{len(text)}}"
        case "fraction":
            return f".{moment.microsecond:06}"[: len(text)]
        case "text" | "digit":
            return text if kind == "text" or text in ".," else ""
        case "date":
            return _date_token(text, section, position, moment, has_half=has_half)
    return ""


def _date_token(text: str, section: _Tokens, position: int, moment: datetime, *, has_half: bool) -> str:
    width, is_name = min(2, len(text)), len(text) > 2
    letter = "minutes" if text[0] == "m" and not is_name and _are_minutes(section, position) else text[0]
    if is_name and letter in {"d", "m"}:
        return _name(_DAYS[moment.weekday()] if letter == "d" else _MONTHS[moment.month - 1], len(text))
    hour = (moment.hour + 11) % 12 + 1 if has_half else moment.hour
    numbers = {"d": moment.day, "m": moment.month, "h": hour, "minutes": moment.minute, "s": moment.second}
    if letter == "y":
        return f"{moment.year:04}" if is_name else f"{moment.year % 100:02}"
    return f"{numbers[letter]:0{width}}"


def _name(name: str, letters: int) -> str:
    """Return the name of a day or a month as long as so many letters say: short, whole, or its first letter."""
    return {3: name[:3], 5: name[:1]}.get(letters, name)


def _are_minutes(section: _Tokens, position: int) -> bool:
    """Return whether `m` stands after hours or before seconds, and so means minutes."""
    before = [text[0] for kind, text in section[:position] if kind in {"date", "elapsed"}]
    after = [text[0] for kind, text in section[position + 1 :] if kind in {"date", "elapsed"}]
    return before[-1:] == ["h"] or after[:1] == ["s"]
