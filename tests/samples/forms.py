"""PDF forms, written object by object, whose fields are filled in."""

from tests.samples.pdfs import FONT, pages, pdf, stream

TEXT = "An application with a few fields that were filled in on a screen."
LABELS = ((230, b"By post"), (200, b"By email"))
"""The heights and the texts beside the radio buttons."""


def form_pdf(*, text: str = TEXT) -> bytes:
    """Return a page with a text field, a choice, a password, a hidden field, a check box and two radio buttons."""
    shown = b"BT /F1 12 Tf 72 770 Td (%s) Tj ET" % text.encode("latin-1")
    shown += b"".join(b" BT /F1 12 Tf 100 %d Td (%s) Tj ET" % (height, label) for height, label in LABELS)
    fields = [
        _widget(b"/FT /Tx /T (form1[0].f1_01[0]) /TU (Full name) /V (Anna Weber)", (72, 700, 300, 720)),
        _widget(b"/FT /Tx /T (city) /V (K\\366ln)", (72, 660, 300, 680)),
        _widget(
            b"/FT /Ch /Ff 131072 /T (country) /V (DE) /Opt [[(DE) (Germany)] [(FR) (France)]]", (72, 620, 300, 640)
        ),
        _widget(b"/FT /Tx /Ff 8192 /T (secret) /V (hunter2)", (72, 580, 300, 600)),
        _widget(b"/FT /Tx /T (hidden) /V (not seen)", (72, 540, 300, 560), flags=2),
        _widget(b"/FT /Tx /T (empty)", (72, 500, 300, 520)),
        _box(b"/FT /Btn /T (agree) /TU (I agree) /V /Yes", b"Yes", (72, 300, 84, 312), ticked=True),
        _box(b"/FT /Btn /T (news)", b"Yes", (300, 300, 312, 312), ticked=False),
        _box(b"/Parent 16 0 R", b"post", (72, 228, 84, 240), ticked=False),
        _box(b"/Parent 16 0 R", b"email", (72, 198, 84, 210), ticked=True),
    ]
    numbers = [6 + index for index in range(len(fields))]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    group = b"<< /FT /Btn /Ff 49152 /T (reply) /TU (How to reply) /V /email /Kids [14 0 R 15 0 R] >>"
    top = b" ".join(b"%d 0 R" % number for number in (*numbers[:8], 16))
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> /Annots [%s] >>" % kids
    )
    catalog = (
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%s] /DA (/F1 12 Tf 0 g)"
        b" /DR << /Font << /F1 3 0 R >> >> >> >>" % top
    )
    ticked = stream(b"q 1 w 0.5 0.5 11 11 re S 2 2 m 10 10 l S 2 10 m 10 2 l S Q", b"/Subtype /Form /BBox [0 0 12 12]")
    empty = stream(b"q 1 w 0.5 0.5 11 11 re S Q", b"/Subtype /Form /BBox [0 0 12 12]")
    return pdf([catalog, pages([4]), FONT, page, stream(shown), *fields, group, ticked, empty])


def _widget(entries: bytes, sides: tuple[int, int, int, int], flags: int = 4) -> bytes:
    return b"<< /Type /Annot /Subtype /Widget /P 4 0 R /DA (/F1 12 Tf 0 g) /F %d /Rect [%d %d %d %d] %s >>" % (
        flags,
        *sides,
        entries,
    )


def _box(entries: bytes, state: bytes, sides: tuple[int, int, int, int], *, ticked: bool) -> bytes:
    look = b"/AS /%s /AP << /N << /%s 17 0 R /Off 18 0 R >> >>" % (state if ticked else b"Off", state)
    return _widget(entries + b" " + look, sides)
