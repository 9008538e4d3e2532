"""PDF files written object by object, so that each sample holds exactly what its test is about."""

import io
import math
import struct
import zlib
from collections.abc import Iterable, Sequence

import pikepdf
from PIL import Image, ImageDraw

from .images import drawn_page

A4 = (595, 842)
Box = tuple[float, float]
Sides = tuple[int, int, int, int]


def pdf(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A file of these objects, numbered from 1; the first is the catalog."""
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, trailer))
    out.write(b"startxref\n%d\n%%%%EOF\n" % table)
    return out.getvalue()


def stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


def page(content: int, size: Box = A4, resources: bytes = b"/Font << /F1 3 0 R >>", entries: bytes = b"") -> bytes:
    box = b"[0 0 %d %d]" % (int(size[0]), int(size[1]))
    return b"<< /Type /Page /Parent 2 0 R /MediaBox %s /Contents %d 0 R /Resources << %s >> %s >>" % (
        box,
        content,
        resources,
        entries,
    )


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"


def pages(kids: Iterable[int]) -> bytes:
    numbers = list(kids)
    references = b" ".join(b"%d 0 R" % number for number in numbers)
    return b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(numbers), references)


def text_pdf(*texts: str, size: Box = A4, rotate: int = 0, trailer: bytes = b"") -> bytes:
    """One page for each text, its lines 12 points high from the top left."""
    objects = [CATALOG, pages(4 + 2 * index for index in range(len(texts))), FONT]
    for text in texts:
        content = _show(text.splitlines(), size[1] - 72)
        objects += [page(len(objects) + 2, size, entries=b"/Rotate %d" % rotate), stream(content)]
    return pdf(objects, trailer)


def turned_text_pdf(text: str, degrees: float, drawing: bytes = b"", image: Image.Image | None = None) -> bytes:
    """A page whose drawing, with the text and the image, is turned counterclockwise, on a sheet that holds it."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    wide, high = abs(A4[0] * cosine) + abs(A4[1] * sine), abs(A4[0] * sine) + abs(A4[1] * cosine)
    across = wide / 2 - cosine * A4[0] / 2 + sine * A4[1] / 2
    up = high / 2 - sine * A4[0] / 2 - cosine * A4[1] / 2
    turn = b"q %.6f %.6f %.6f %.6f %.4f %.4f cm " % (cosine, sine, -sine, cosine, across, up)
    content = turn + _show(text.splitlines(), A4[1] - 72) + b" " + drawing + b" Q"
    resources, objects = b"/Font << /F1 3 0 R >>", [CATALOG, pages([4]), FONT]
    if image is not None:
        entries = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8"
        resources += b" /XObject << /Im 6 0 R >>"
    objects += [page(5, (math.ceil(wide), math.ceil(high)), resources), stream(content)]
    if image is not None:
        objects.append(stream(image.convert("L").tobytes(), entries % image.size))
    return pdf(objects)


def text_at(text: str, degrees: float, at: Box, size: int = 12, mode: int = 0) -> bytes:
    """The drawing of one line of text that runs at an angle counterclockwise. Mode 3 leaves no ink."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = b"%.6f %.6f %.6f %.6f %.2f %.2f Tm" % (cosine, sine, -sine, cosine, *at)
    return b"BT /F1 %d Tf %d Tr %s (%s) Tj ET" % (size, mode, matrix, _escaped(text))


def scanned_pdf(*texts: str, dpi: int = 200) -> bytes:
    """One page for each text, with nothing on it but a noisy picture of the text."""
    pictures = [drawn_page(text, noise=6) for text in texts]
    out = io.BytesIO()
    pictures[0].save(out, "PDF", resolution=dpi, save_all=True, append_images=pictures[1:])
    return out.getvalue()


def small_scans(*texts: str) -> bytes:
    """Pictures alone, small enough to be recognized in a moment."""
    pictures = [Image.new("RGB", (600, 200), "white") for _ in texts]
    for picture, text in zip(pictures, texts, strict=True):
        ImageDraw.Draw(picture).text((40, 70), text, "black", font_size=48)
    out = io.BytesIO()
    pictures[0].save(out, "PDF", save_all=True, append_images=pictures[1:], resolution=100)
    return out.getvalue()


def scan_with_stamp(stamp: str) -> bytes:
    """A full-page picture with a few real characters over it."""
    pixels = Image.effect_noise((300, 400), 40).tobytes()
    picture = stream(
        pixels,
        b"/Type /XObject /Subtype /Image /Width 300 /Height 400 /ColorSpace /DeviceGray /BitsPerComponent 8",
    )
    content = stream(b"q 595 0 0 842 0 0 cm /Im Do Q " + _show([stamp], 30))
    resources = b"/Font << /F1 3 0 R >> /XObject << /Im 6 0 R >>"
    return pdf([CATALOG, pages([4]), FONT, page(5, resources=resources), content, picture])


def text_with_picture(text: str, picture: Image.Image, box: Sides = (72, 200, 523, 500)) -> bytes:
    """A page with lines of text over a picture in this box: left, bottom, right and top in points."""
    left, bottom, right, top = box
    entries = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8"
    image = stream(picture.convert("L").tobytes(), entries % picture.size)
    place = b"q %d 0 0 %d %d %d cm /Im Do Q " % (right - left, top - bottom, left, bottom)
    content = stream(place + _show(text.splitlines(), A4[1] - 72))
    resources = b"/Font << /F1 3 0 R >> /XObject << /Im 6 0 R >>"
    return pdf([CATALOG, pages([4]), FONT, page(5, resources=resources), content, image])


def picture_of(*lines: str, size: tuple[int, int] = (1200, 800)) -> Image.Image:
    picture = Image.new("RGB", size, "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(picture).text((60, 60 + 100 * number), line, "black", font_size=48)
    return picture


def private_use_pdf(letters: int) -> bytes:
    """Text whose font maps each letter to a private character: readable to the eye alone."""
    mapping = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def "
        b"1 begincodespacerange <00> <FF> endcodespacerange "
        b"1 beginbfrange <41> <5A> <E041> endbfrange endcmap end end"
    )
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>"
    content = stream(_show(["ABCDEFGHIJ" * (letters // 10)], 700))
    return pdf([CATALOG, pages([4]), font, page(5), content, stream(mapping)])


def form_pdf(value: str) -> bytes:
    """A page with one filled form field, whose text is in the field's appearance alone."""
    appearance = stream(
        b"BT /F1 12 Tf 2 5 Td (%s) Tj ET" % value.encode(),
        b"/Type /XObject /Subtype /Form /BBox [0 0 300 20] /Resources << /Font << /F1 3 0 R >> >>",
    )
    field = (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (%s) /Rect [72 700 372 720] /F 4 "
        b"/DA (/F1 12 Tf) /AP << /N 7 0 R >> /P 4 0 R >>" % value.encode()
    )
    catalog = b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DR << /Font << /F1 3 0 R >> >> >> >>"
    entries = b"/Annots [6 0 R]"
    return pdf([catalog, pages([4]), FONT, page(5, entries=entries), stream(b""), field, appearance])


def encrypted_pdf() -> bytes:
    """Nobody knows the password: the keys are random."""
    secret = b"<5a" + b"c3" * 31 + b">"
    encrypt = b"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O %s /U %s >>" % (secret, secret)
    return text_pdf("secret", trailer=encrypt + b" /ID [<00112233> <00112233>]")


def locked_pdf(text: str = "locked", *, user: str = "secret", owner: str = "owner", revision: int = 6) -> bytes:
    """Return a PDF that opens with these passwords, or without one if that of the user is empty."""
    locked = io.BytesIO()
    strong = revision >= 4
    how = pikepdf.Encryption(owner=owner, user=user, R=revision, aes=strong, metadata=strong)  # type: ignore[arg-type]
    with pikepdf.open(io.BytesIO(text_pdf(text))) as plain:
        plain.save(locked, encryption=how)
    return locked.getvalue()


def no_pages_pdf() -> bytes:
    return pdf([CATALOG, pages([])])


def one_broken_page_pdf() -> bytes:
    """The second of three pages is not there."""
    return pdf([CATALOG, pages([4, 99, 4]), FONT, page(5), stream(_show(["a page that is fine"], 700))])


def many_pages_pdf(count: int) -> bytes:
    """Each page is the same small object."""
    return pdf([CATALOG, pages([3] * count), b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"])


def laughing_pdf(levels: int = 12, each: int = 10, count: int = 1) -> bytes:
    """Forms that draw forms: `each` to the power of `levels` drawings in about two thousand bytes, on each page."""
    first = 6
    forms = [
        stream(
            b"/X Do " * each,
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>"
            % (first + level + 1),
        )
        for level in range(levels)
    ]
    last = stream(b"0 0 1 1 re f ", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]")
    body = page(5, resources=b"/XObject << /X %d 0 R >>" % first)
    return pdf([CATALOG, pages([4] * count), FONT, body, stream(b"/X Do"), *forms, last])


def picture_bomb_pdf(side: int = 40_000) -> bytes:
    """A picture of `side` squared pixels, of which almost none are in the file."""
    entries = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB" % (side, side)
    picture = stream(zlib.compress(bytes(1 << 20)), entries + b" /BitsPerComponent 8 /Filter /FlateDecode")
    content = stream(b"q 595 0 0 842 0 0 cm /Im Do Q")
    return pdf([CATALOG, pages([4]), FONT, page(5, resources=b"/XObject << /Im 6 0 R >>"), content, picture])


def deflate_bomb_pdf(megabytes: int = 500) -> bytes:
    """A page whose drawing is that long once it is unpacked twice."""
    once = _deflated(b"", bytes(1 << 20), megabytes)
    content = stream(zlib.compress(once, 9), b"/Filter [/FlateDecode /FlateDecode]")
    return pdf([CATALOG, pages([4]), FONT, page(5), content])


def object_stream_bomb_pdf(megabytes: int = 900) -> bytes:
    """A page tree that is found only by unpacking, twice, that much; about two kilobytes in the file."""
    tree = b"".join((CATALOG, pages([3]), b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"))
    second = len(CATALOG)
    index = b"1 0 2 %d 3 %d " % (second, second + len(pages([3])))
    once = _deflated(index + tree, b" " * (1 << 20), megabytes)
    entries = b"/Type /ObjStm /N 3 /First %d /Filter [/FlateDecode /FlateDecode]" % len(index)
    body = b"%PDF-1.7\n"
    objects_at = len(body)
    body += b"4 0 obj\n%s\nendobj\n" % stream(zlib.compress(once, 9), entries)
    table_at = len(body)
    within = [struct.pack(">BIB", 2, 4, place) for place in range(3)]
    outside = [struct.pack(">BIB", 1, offset, 0) for offset in (objects_at, table_at)]
    table = stream(b"".join([bytes(6), *within, *outside]), b"/Type /XRef /Size 6 /W [1 4 1] /Root 1 0 R")
    return body + b"5 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (table, table_at)


def _deflated(head: bytes, filler: bytes, times: int) -> bytes:
    """Return a zlib stream of the head and that many fillers, each compressed once only."""
    packer = zlib.compressobj(9)
    begun = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    one = packer.compress(filler) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = zlib.adler32(head)
    for _ in range(times):
        checksum = zlib.adler32(filler, checksum)
    end_of_stream = b"\x03\x00"
    return begun + one * times + end_of_stream + struct.pack(">I", checksum)


def _show(lines: Iterable[str], top: float) -> bytes:
    shown = b"".join(b"(%s) Tj T* " % _escaped(line) for line in lines)
    return b"BT /F1 12 Tf 14 TL 72 %d Td %sET" % (int(top), shown)


def _escaped(line: str) -> bytes:
    return line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
