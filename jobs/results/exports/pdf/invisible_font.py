"""An invisible font for search. Each glyph is a box, because PDFium drops upward lines without area."""

import io
from collections.abc import Sequence

import pikepdf
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from pikepdf import Array, Dictionary, Name, Pdf

from jobs.results.exports.pdf.character_codes import UNITS_PER_EM, advance

ASCENT, DESCENT = 800, -200
_NAME = "Invisible"
_MAPPED_AT_ONCE = 100
"""The most that one `bfchar` section of a mapping may hold."""
_SYMBOLIC = 1 << 2
"""The flag for characters that are not of the standard Latin set."""


def invisible_font(pdf: Pdf, characters: Sequence[str]) -> pikepdf.Object:
    """Return a composite font in which the character with code n is the nth of `characters`."""
    widths = [advance(char) for char in characters]
    descriptor = Dictionary(
        Type=Name.FontDescriptor,
        FontName=Name(f"/{_NAME}"),
        Flags=_SYMBOLIC,
        FontBBox=Array([0, DESCENT, UNITS_PER_EM, ASCENT]),
        ItalicAngle=0,
        Ascent=ASCENT,
        Descent=DESCENT,
        CapHeight=ASCENT,
        StemV=80,
        FontFile2=pdf.make_stream(_font_file(characters, widths)),
    )
    descendant = Dictionary(
        Type=Name.Font,
        Subtype=Name.CIDFontType2,
        BaseFont=Name(f"/{_NAME}"),
        CIDSystemInfo=Dictionary(Registry="Adobe", Ordering="Identity", Supplement=0),
        CIDToGIDMap=Name.Identity,
        FontDescriptor=pdf.make_indirect(descriptor),
        W=Array([1, Array(widths)]),
    )
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type0,
        BaseFont=Name(f"/{_NAME}"),
        Encoding=Name("/Identity-H"),
        DescendantFonts=Array([pdf.make_indirect(descendant)]),
        ToUnicode=pdf.make_stream(to_unicode(characters)),
    )
    return pdf.make_indirect(font)


def to_unicode(characters: Sequence[str]) -> bytes:
    rows = [f"<{code:04X}> <{char.encode('utf-16-be').hex().upper()}>" for code, char in enumerate(characters, 1)]
    stretches = [rows[at : at + _MAPPED_AT_ONCE] for at in range(0, len(rows), _MAPPED_AT_ONCE)]
    sections = ["\n".join((f"{len(stretch)} beginbfchar", *stretch, "endbfchar", "")) for stretch in stretches]
    return (_BEFORE + "".join(sections) + _AFTER).encode("ascii")


_BEFORE = """/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
"""
_AFTER = """endcmap
CMapName currentdict /CMap defineresource pop
end
end
"""


def _font_file(characters: Sequence[str], widths: Sequence[int]) -> bytes:
    names = [f"c{code}" for code in range(1, len(characters) + 1)]
    builder = FontBuilder(UNITS_PER_EM, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names])
    builder.setupCharacterMap({ord(char): name for char, name in zip(characters, names, strict=True)})
    sizes = {".notdef": UNITS_PER_EM // 2, **dict(zip(names, widths, strict=True))}
    builder.setupGlyf({name: _box(width) for name, width in sizes.items()})
    builder.setupHorizontalMetrics({name: (width, 0) for name, width in sizes.items()})
    builder.setupHorizontalHeader(ascent=ASCENT, descent=DESCENT)
    builder.setupNameTable({"familyName": _NAME, "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=ASCENT, sTypoDescender=DESCENT)
    builder.setupPost(keepGlyphNames=False)
    out = io.BytesIO()
    builder.save(out)
    return out.getvalue()


def _box(width: int) -> object:
    pen = TTGlyphPen(None)
    pen.moveTo((0, DESCENT))
    for corner in ((0, ASCENT), (width, ASCENT), (width, DESCENT)):
        pen.lineTo(corner)
    pen.closePath()
    return pen.glyph()
