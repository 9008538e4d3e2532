"""Candidates for the supplier and the buyer of an invoice: names above addresses, with labels, and in letterheads."""

import math
import re
from collections.abc import Iterator

from inference.fields.amounts import find_amounts
from inference.fields.candidate import Candidate, candidate
from inference.fields.identifiers import find_vat_numbers
from inference.fields.identity import is_title
from inference.fields.labels.finding import Label
from inference.fields.labels.vocabulary import spelled
from inference.fields.page_text import Piece
from inference.fields.values import Labeled, Span

MAX_NAME, MAX_ADDRESS_LINES = 70, 7
LARGE = 1.4
"""The height of a letterhead's print, at least, as a multiple of the usual height."""
LETTERHEAD_LINES = 3
FAR = 5.0
"""The white beside a label, in line heights, from which what stands there belongs to something else."""
UNEVEN = 0.4
"""The line heights by which the white between the lines of an address may differ."""
TINY_LABEL = 3
"""The letters of a label that names a party only where a text begins, such as `To:`."""
SHORT_LABEL = 8
"""The letters of a single word that may also begin a sentence, such as `Customer`."""
SMALL = 0.9
"""The height of the print of the sender above an address, at most, as a multiple of the usual height."""
UPPER, LOWER = 0.3, 0.8
LEGAL_FORM = re.compile(
    r"(?<!\w)(?:GmbH(?: ?& ?Co\.? ?KG)?|AG|KG|KGaA|OHG|UG|GbR|mbH|e\.? ?K\.?|e\.? ?U\.?|e\. ?V\.|Ltd\.?"
    r"|Limited|LLC|L\.L\.C\.|Inc\.?|PLC|plc|LLP|Corp\.?|S\.? ?[àa]\.? ?r\.? ?l\.?|S\.?A\.?R\.?L\.?|SARL"
    r"|SASU?|EURL|S\.?A\.?|SNC|SCI|SCOP"
    r"|S\.?L\.?U?\.?|S\.?L\.?L\.?|S\.?R\.?L\.?S?|S\.?r\.?l\.?s?|S\.?p\.?A\.?|S\.?n\.?c\.?|S\.?a\.?s\.?|B\.?V\.?|N\.?V\.?|V\.?O\.?F\.?"
    r"|C\.?V\.?|NV/SA|BV/SRL|SPRL|P\.C\.|Pty\.? Ltd\.?|SE|Co\.|& Co|S\. ?Coop\.?|BVBA|Sàrl)(?!\w)"
)
_POSTAL = re.compile(
    r"(?:^|[\s,(·•|-])(?:[A-Z]{1,2}[- ])?\d{4,5}(?: ?[A-Z]{2})?,? *[A-ZÀ-Ý][\w'’.-]+"
    r"|\b(?:NSW|QLD|VIC|TAS|ACT|SA|WA|NT) \d{4}\b|\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b"
    r"|\b[A-Z]{1,2}\d[0-9A-Z]? ?\d[A-Z]{2}\b|\b[A-Z]{2},? \d{5}(?:-\d{4})?\b|\b[A-Z]\d{2} ?[A-Z0-9]{4}\b"
)
_BRANCH = re.compile(r"\s*#\s?\d+$")
"""The number of a shop behind its name, such as in `Market #0412`."""
_SEPARATED = re.compile(r"\s+[·•|*●]\s+|\s+[–—-]\s+|[·•●]|,\s+|\s*\|\s*")
_DOTTED = re.compile(r"\s*[·•|●]\s*|\s+[–—*-]\s+")
_CONTACT = re.compile(r"@|www\.|https?:|\+\d{2}|^\W*\d|^\W*$")
_PERSON = re.compile(
    r"^(?:z\. ?H(?:d|än)?\b|attn\b|att\.|attention|c/o|t\.a\.v|[àa] l.a?t+ention|all.att"
    r"|[aá] la at|c\.? ?a\.|zu h[aä]nden)",
    re.IGNORECASE,
)


_HONORIFIC = re.compile(
    r"(?:herrn?|frau|mrs?|ms|miss|mevr|mevrouw|dhr|mme|madame|monsieur|sig|sig\.?ra|signora?|sra?|don|do[nñ]a)\b\.?\s"
    r"|M\. ",
    re.IGNORECASE,
)
"""What only stands before the name of a person that a letter is written to."""
_SALUTATION = re.compile(r"(?:dear|sehr geehrte|ch[eè]re?|gentile|egregi|estimad|geachte|beste)\b", re.IGNORECASE)


def party_candidates(page: Labeled) -> Iterator[Candidate]:
    found = [*_labeled(page), *_unlabeled(page)]
    text = "\n".join(squeezed_name(line) for line in page.text.lines)
    for name, span, place, score in found:
        written = span.text[slice(*place)]
        bonus = 0.06 if LEGAL_FORM.search(written) else -0.06
        if name == "supplier" and text.count(squeezed_name(written)) > 1:
            bonus += 0.12
        sure = max(0.05, min(1.0, score + bonus))
        yield candidate(page.text, name, span, place, normalized=written, score=sure)


_Found = tuple[str, Span, tuple[int, int], float]


def squeezed_name(text: str) -> str:
    return "".join(spelled(word) for word in re.findall(r"[^\W_]+", text))


def _labeled(page: Labeled) -> Iterator[_Found]:
    for piece in page.text.pieces:
        for label in page.labels_of(piece):
            role = _role(page, label)
            if role is None or not (label.at_start or (label.has_colon and label.letters > TINY_LABEL)):
                continue
            for span in _likely_spans(page, label):
                if span.direction == "inline" and not label.has_colon and not _names_before(label, span):
                    break
                place = name_in(page, span)
                if place is not None:
                    sure = 0.9 if label.letters > 3 else 0.8
                    yield role, span, place, sure * (0.93 if span.direction == "beside" else 1.0)
                    break


def _likely_spans(page: Labeled, label: Label) -> Iterator[Span]:
    """Yield where the name of a party may be: directly below its label rather than far beside it."""
    height = page.text.line_height
    if label.is_alone:
        for span in page.below(label):
            box = span.piece.box
            is_near = box.top - label.piece.box.bottom < 0.6 * height and abs(box.left - label.piece.box.left) < height
            beside = next(page.beside(label), None)
            is_far = beside is None or beside.piece.box.left - label.piece.box.right > FAR * height
            if is_near and is_far:
                yield span
            break
    yield from page.spans(label)


def _names_before(label: Label, span: Span) -> bool:
    """Return whether a label without a colon has a name behind it: a long one, or one such as `Sold to Ann Price`."""
    several = " " in label.piece.text[label.start : label.end]
    is_named = several or LEGAL_FORM.search(span.text) is not None
    return label.letters > SHORT_LABEL or (is_named and span.text[:1].isupper())


def _role(page: Labeled, label: Label) -> str | None:
    roles = page.roles(label)
    parties = [role for role in ("supplier", "buyer") if role in roles]
    return parties[0] if len(parties) == 1 and "ship" not in roles else None


def name_in(page: Labeled, span: Span) -> tuple[int, int] | None:
    """Return the place of a name at the start of a span, without the address that may follow it."""
    text = span.text
    end = len(text)
    if separator := _SEPARATED.search(text):
        rest = text[separator.end() :]
        if any(map(str.isdigit, rest)) or separator.group().strip() in "·•|●":
            end = separator.start()
    legal = LEGAL_FORM.search(text[:end])
    if legal is not None and any(map(str.isdigit, text[legal.end() :])):
        end = legal.end()
    written = text[:end].strip(" ,;:")
    if not is_name(written):
        return None
    start = text.index(written)
    return start, start + len(written)


def is_name(text: str) -> bool:
    text = _BRANCH.sub("", text)
    letters = sum(map(str.isalpha, text))
    return (
        3 <= len(text) <= MAX_NAME
        and letters >= 0.6 * len(text)
        and len(text.split()) <= 8
        and not _CONTACT.search(text)
        and not is_title(text)
        and not _PERSON.match(text)
        and not _SALUTATION.match(text)
        and not find_amounts(text)
        and not find_vat_numbers(text)
        and not _POSTAL.search(text)
        and not text.endswith((":", "?", "!"))
    )


def _unlabeled(page: Labeled) -> Iterator[_Found]:
    sender = None
    for piece in page.text.pieces:
        place = _sender_line(page, piece)
        if place is not None:
            in_foot = piece.box.middle > LOWER * page.text.height
            sender = sender if in_foot else piece
            yield "supplier", Span(piece, 0, len(piece.text), "inline"), place, 0.72 if in_foot else 0.84
    yield from _letterheads(page)
    yield from _addresses(page, sender)
    yield from _in_foot(page)


def _sender_line(page: Labeled, piece: Piece) -> tuple[int, int] | None:
    """Return the place of the name in a line such as `Firm · Street 1 · 12345 City`."""
    parts = _DOTTED.split(piece.text)
    small = piece.box.height <= SMALL * page.text.line_height and piece.box.middle < 0.5 * page.text.height
    split = _SEPARATED.split(piece.text)
    if len(parts) < 3 and (LEGAL_FORM.search(parts[0]) or (small and len(split) >= 3)):
        parts = split
    is_sender = len(parts) >= 3 or (len(parts) == 2 and not any(map(str.isdigit, parts[0])))
    if not is_sender or not _POSTAL.search(piece.text) or (page.labels_of(piece) and page.labels_of(piece)[0].at_start):
        return None
    place = name_in(page, Span(piece, 0, len(piece.text), "inline"))
    if place is None or (any(map(str.isdigit, piece.text[slice(*place)])) and not LEGAL_FORM.search(parts[0])):
        return None  # The first part is a street.
    return place


def _letterheads(page: Labeled) -> Iterator[_Found]:
    text = page.text
    top = [piece for piece in text.pieces if piece.box.middle < UPPER * text.height]
    for number, piece in enumerate(top):
        span = Span(piece, 0, len(piece.text), "inline")
        if page.is_label(piece) or not is_name(piece.text) or _heading_above(page, piece) is not None:
            continue
        large = piece.box.height >= LARGE * text.line_height
        first = number == 0 or piece.box.top <= top[0].box.bottom
        legal = bool(LEGAL_FORM.search(piece.text))
        score = 0.35 + 0.2 * large + 0.15 * first + 0.08 * legal + 0.08 * (first and _has_address_below(page, piece))
        if large or first or (legal and piece.box.middle < 0.15 * text.height):
            yield "supplier", span, (0, len(piece.text.rstrip(" ,"))), score


def _has_address_below(page: Labeled, piece: Piece) -> bool:
    """Return whether a line below a name has a number, as that of a street has."""
    return any(
        any(map(str.isdigit, below.text)) and any(map(str.isalpha, below.text))
        for below in page.text.below(piece.box)[:LETTERHEAD_LINES]
    )


def _addresses(page: Labeled, sender: Piece | None) -> Iterator[_Found]:
    """Yield the names of addresses without a label: the first is the supplier's unless the letterhead is, and so on."""
    first = min(page.text.pieces, key=lambda piece: piece.box.top, default=None)
    for piece in page.text.pieces:
        if (
            first is None
            or not _POSTAL.search(piece.text)
            or piece.box.middle > 0.5 * page.text.height
            or len(piece.text) > 60
        ):
            continue
        stack = _stack(page, piece)
        if _SALUTATION.match(stack[0].text):
            del stack[0]
        if len(stack) < 2:
            continue
        name = stack[0]
        if not is_name(name.text) or _heading_above(page, name) is not None:
            continue
        span = Span(name, 0, len(name.text), "inline")
        place = (0, len(name.text.rstrip(" ,")))
        below_sender = sender is not None and 0 <= name.box.top - sender.box.bottom < 5 * page.text.line_height
        if below_sender and sender is not None and abs(sender.box.left - name.box.left) < 3 * page.text.line_height:
            yield "buyer", span, place, 0.88
            continue
        if _HONORIFIC.match(name.text):
            yield "buyer", span, place, 0.66
            continue
        early = name.box.top <= first.box.bottom or name.box.height >= LARGE * page.text.line_height
        yield "supplier", span, place, 0.6 if early else 0.3
        yield "buyer", span, place, 0.3 if early else 0.62


def _stack(page: Labeled, postal: Piece) -> list[Piece]:
    """Return the lines of an address from its name to its city, by walking up from the city."""
    stack = [postal]
    pieces, widest = page.text.pieces, math.inf
    for piece in reversed(pieces[: pieces.index(postal)]):
        upper = stack[0].box
        if piece.box.bottom > upper.top + 0.5 * upper.height:
            continue
        gap = upper.top - piece.box.bottom
        if gap > min(1.6 * page.text.line_height, widest) or len(stack) >= MAX_ADDRESS_LINES:
            break
        aligned = abs(piece.box.left - upper.left) <= 0.8 * page.text.line_height
        aligned = aligned or abs(piece.box.right - upper.right) <= 0.8 * page.text.line_height
        aligned = aligned or abs(piece.box.center - upper.center) <= 0.8 * page.text.line_height
        if not aligned:
            continue
        if _sender_line(page, piece) is not None:
            break
        if page.is_label(piece) or is_title(piece.text) or not any(map(str.isalpha, piece.text)):
            break
        stack.insert(0, piece)
        widest = min(widest, gap + UNEVEN * page.text.line_height)
    return stack


def _heading_above(page: Labeled, name: Piece) -> Label | None:
    """Return the label that stands directly above a name."""
    for piece in page.text.pieces:
        gap = name.box.top - piece.box.bottom
        if -0.3 * name.box.height <= gap <= 2 * page.text.line_height and page.is_label(piece):
            label = page.labels_of(piece)[0]
            roles = page.roles(label) & {"supplier", "buyer", "ship"}
            if roles and abs(piece.box.left - name.box.left) <= 1.5 * page.text.line_height:
                return label
    return None


def _in_foot(page: Labeled) -> Iterator[_Found]:
    """Yield firms named at the foot of the page, where who sends an invoice says who he is."""
    for piece in page.text.pieces:
        if piece.box.middle < LOWER * page.text.height or not LEGAL_FORM.search(piece.text[:MAX_NAME]):
            continue
        span = Span(piece, 0, len(piece.text), "inline")
        place = name_in(page, span)
        if place is not None and LEGAL_FORM.search(span.text[slice(*place)]) and not page.is_label(piece):
            yield "supplier", span, place, 0.6
