"""Files that are not documents, whatever their names say."""

import gzip
import io
import zipfile


def zip_bomb(megabytes: int = 20) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../word/document.xml", bytes(megabytes << 20))
    return out.getvalue()


FITS = b"SIMPLE  =                    T / conforms".ljust(2880)

DISGUISED: dict[str, bytes] = {
    "svg.png": b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>',
    "xml-svg.png": b'<?xml version="1.0"?>\n<!DOCTYPE svg [<!ENTITY a "ha">]><svg>&a;</svg>',
    "late-svg.txt": b"\n\n  <svg onload='alert(1)'></svg>",
    "marked-svg.txt": b"\xef\xbb\xbf<svg></svg>",
    "wide-svg.txt": "<svg></svg>".encode("utf-16"),
    "archive.pdf": zip_bomb(),
    "postscript.jpg": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n{} loop",
    "eps-with-preview.png": b"\xc5\xd0\xd3\xc6" + bytes(28) + b"%!PS-Adobe-3.0 EPSF-3.0",
    "fits.tiff": FITS,
    "fits.gz.tiff": gzip.compress(FITS + bytes(1 << 20)),
    "animation.png": b"GIF89a\x01\x00\x01\x00\x00\x00\x00;",
    "bitmap.png": b"BM" + bytes(52),
    "program.pdf": b"\x7fELF\x02\x01\x01" + bytes(60),
    "rich.txt": b"{\\rtf1 hello}",
    "zeros.txt": bytes(1000),
    "chance.webp": bytes(index * 73 % 256 for index in range(1000)),
    "icons.png": b"\x00\x00\x01\x00\x01\x00" + bytes(40),
    "film.webp": b"\x00\x00\x00\x20ftypisom" + bytes(40),
    "psd.tiff": b"8BPS\x00\x01" + bytes(40),
}
