"""Hostile Office documents, web pages and emails, each with the answer that it must get."""

import base64
import io
import struct
import zipfile
from collections.abc import Callable

from tests.samples.office import (
    PAGE,
    package,
    sheet,
    sheet_parts,
    slides,
    styles,
    word,
    word_document,
    word_parts,
    workbook,
)
from tests.samples.old_office import old_office

LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
REMOTE = '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/evil.dtd">'
READ = "read"
"""The answer to a document that is read, within bounds."""

CORRUPT, COMPLEX, LARGE = "document_corrupt", "document_too_complex", "document_too_large"
PASSWORD, OTHER, EMPTY = "document_encrypted", "unsupported_type", "document_empty"
BOMB_MIB = 64
"""The size to which a bomb unpacks, which is more than a reader under test allows."""

Made = tuple[Callable[[], bytes], str]


def nested(name: str, depth: int, inside: str = "x", namespace: str = "") -> str:
    return f"<{namespace}{name}>" * depth + inside + f"</{namespace}{name}>" * depth


def run(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def cells(*given: str) -> str:
    return f"<sheetData><row>{''.join(given)}</row></sheetData>"


def bomb(parts: dict[str, str | bytes], name: str, megabytes: int) -> bytes:
    """Return a package in which a part unpacks to megabytes of blanks."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, data in parts.items():
            if part != name:
                archive.writestr(part, data)
        with archive.open(name, "w", force_zip64=True) as stream:
            before, _, after = str(parts[name]).partition("BOMB")
            stream.write(before.encode())
            for _ in range(megabytes):
                stream.write(b" " * (1 << 20))
            stream.write(after.encode())
    return out.getvalue()


def with_lie(data: bytes, size: int) -> bytes:
    """Return a package whose directory states another size for every part."""
    changed = bytearray(data)
    at = changed.find(b"PK\x01\x02")
    while at >= 0:
        changed[at + 24 : at + 28] = struct.pack("<I", size)
        at = changed.find(b"PK\x01\x02", at + 4)
    return bytes(changed)


def zip_encrypted() -> bytes:
    changed = bytearray(word_document())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(signature)
        while at >= 0:
            changed[at + offset] |= 1
            at = changed.find(signature, at + 4)
    return bytes(changed)


def many_members(count: int) -> bytes:
    return package({**word_parts(run("x")), **{f"junk/{number}": b"" for number in range(count)}})


def multipart(depth: int) -> bytes:
    heads = "".join(
        f'Content-Type: multipart/mixed; boundary="b{level}"\r\n\r\n--b{level}\r\n' for level in range(depth)
    )
    return f"From: a@b.c\r\nMIME-Version: 1.0\r\n{heads}Content-Type: text/plain\r\n\r\nhello\r\n".encode()


def mail_of(body: str, headers: str = "Content-Type: text/html") -> bytes:
    return f"From: a@b.c\r\nMessage-ID: <1@b.c>\r\nMIME-Version: 1.0\r\n{headers}\r\n\r\n{body}".encode()


def many_parts(count: int) -> bytes:
    parts = "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n" * count
    return mail_of(f"{parts}--b--\r\n", 'Content-Type: multipart/mixed; boundary="b"')


def html(body: str) -> bytes:
    return f"<!DOCTYPE html><html><body>{body}</body></html>".encode()


_SI = "<si><t>x</t></si>"
_SST = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
_TR = "<tr>" + "<td>x</td>" * 500 + "</tr>"

OFFICE: dict[str, Made] = {
    "billion laughs in word": (lambda: package(word_parts(run("&i;"), before=LAUGHS)), CORRUPT),
    "entity of a file in word": (lambda: package(word_parts(run("&a;"), before=OUTSIDE)), CORRUPT),
    "remote dtd in word": (lambda: package(word_parts(run("x"), before=REMOTE)), CORRUPT),
    "late dtd in word": (lambda: package(word_parts(run("x"), before=f"<!--{' ' * 200_000}-->{OUTSIDE}")), CORRUPT),
    "billion laughs in excel": (lambda: package(sheet_parts(cells(), before=LAUGHS)), CORRUPT),
    "billion laughs in content types": (
        lambda: package({**word_parts(run("x")), "[Content_Types].xml": f"{LAUGHS}<Types>&i;</Types>"}),
        CORRUPT,
    ),
    "billion laughs in relations": (
        lambda: package({**word_parts(run("x")), "_rels/.rels": f"{LAUGHS}<Relationships>&i;</Relationships>"}),
        CORRUPT,
    ),
    "utf-16 laughs": (
        lambda: package(
            {
                **word_parts(run("x")),
                "word/document.xml": f'<?xml version="1.0" encoding="UTF-16"?>{LAUGHS}<a>&i;</a>'.encode("utf-16"),
            }
        ),
        CORRUPT,
    ),
    "unknown encoding": (
        lambda: package(word_parts(run("x"), before='<?xml version="1.0" encoding="wide-open"?>')),
        CORRUPT,
    ),
    "word of 10,000 levels": (lambda: word(nested("w:sdt", 10_000)), COMPLEX),
    "word of tables in tables": (
        lambda: word("<w:tbl><w:tr><w:tc>" * 60 + run("x") + "</w:tc></w:tr></w:tbl>" * 60),
        READ,
    ),
    "word of 1,000 tables in tables": (
        lambda: word("<w:tbl><w:tr><w:tc>" * 1000 + run("x") + "</w:tc></w:tr></w:tbl>" * 1000),
        COMPLEX,
    ),
    "word that unpacks too far": (lambda: bomb(word_parts("BOMB" + run("x")), "word/document.xml", BOMB_MIB), LARGE),
    "excel that unpacks too far": (lambda: bomb(sheet_parts("BOMB" + cells()), "xl/sheet1.xml", BOMB_MIB), LARGE),
    "content types that unpack too far": (
        lambda: bomb(
            {**word_parts(run("x")), "[Content_Types].xml": "<Types>BOMB</Types>"}, "[Content_Types].xml", BOMB_MIB
        ),
        LARGE,
    ),
    "lie: parts of no bytes": (lambda: with_lie(word_document(), 0), f"{CORRUPT} {READ} {OTHER}"),
    "lie: parts of 4 GiB": (lambda: with_lie(word_document(), 0xFFFFFFF0), f"{CORRUPT} {READ}"),
    "20,000 members": (lambda: many_members(20_000), COMPLEX),
    "cut in half": (lambda: word_document()[: len(word_document()) // 2], CORRUPT),
    "directory gone": (lambda: word_document().replace(b"PK\x01\x02", b"PK\x09\x09"), CORRUPT),
    "parts broken": (lambda: word_document()[:200] + bytes(2000) + word_document()[2200:], f"{CORRUPT} {OTHER}"),
    "signature alone": (lambda: b"PK\x03\x04", CORRUPT),
    "encrypted parts": (zip_encrypted, PASSWORD),
    "encrypted office": (lambda: old_office("EncryptionInfo", "EncryptedPackage"), PASSWORD),
    "old word": (lambda: old_office("WordDocument"), OTHER),
    "old office": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096), OTHER),
    "plain zip": (lambda: package({"a.txt": "x"}), OTHER),
    "zip in a zip": (lambda: package({"a.docx": word_document(), "b.zip": package({"c": "d"})}), OTHER),
    "opendocument": (
        lambda: package({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a/>"}),
        OTHER,
    ),
    "other package": (
        lambda: package({**word_parts(run("x")), "[Content_Types].xml": "<Types/>"}),
        OTHER,
    ),
    "main part gone": (
        lambda: package({name: data for name, data in word_parts(run("x")).items() if name != "word/document.xml"}),
        CORRUPT,
    ),
    "main part is no xml": (lambda: package({**word_parts(""), "word/document.xml": b"\x00\x01"}), CORRUPT),
    "main part is empty": (lambda: package({**word_parts(""), "word/document.xml": b""}), f"{CORRUPT} {READ}"),
    "main part outside": (
        lambda: package(
            {
                **word_parts(run("x")),
                "_rels/.rels": str(word_parts("")["_rels/.rels"]).replace("word/document.xml", "../../../etc/passwd"),
            }
        ),
        f"{OTHER} {CORRUPT}",
    ),
    "styles in a circle": (
        lambda: word(
            '<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>',
            styles=styles(
                '<w:style w:styleId="a"><w:basedOn w:val="b"/></w:style>'
                '<w:style w:styleId="b"><w:basedOn w:val="a"/></w:style>'
            ),
        ),
        READ,
    ),
    "10,000 styles in a chain": (
        lambda: word(
            '<w:p><w:pPr><w:pStyle w:val="s9999"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>',
            styles=styles(
                "".join(
                    f'<w:style w:styleId="s{number}"><w:basedOn w:val="s{number - 1}"/></w:style>'
                    for number in range(10_000)
                )
            ),
        ),
        READ,
    ),
    "cell of 2^31 columns": (
        lambda: word(
            '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2147483647"/></w:tcPr>' + run("x") + "</w:tc></w:tr></w:tbl>"
        ),
        READ,
    ),
    "60,000 cells in word": (
        lambda: word("<w:tbl>" + ("<w:tr>" + f"<w:tc>{run('x')}</w:tc>" * 50 + "</w:tr>") * 1200 + "</w:tbl>"),
        f"{LARGE} document_too_complex",  # where others use the processor: the time is short
    ),
    "25,000 paragraphs": (lambda: word(run("x") * 25_000), LARGE),
    "5,000 pages in word": (
        lambda: word('<w:p><w:r><w:t>x</w:t><w:br w:type="page"/></w:r></w:p>' * 5000),
        "too_many_pages",
    ),
    "page breaks alone": (lambda: word('<w:p><w:r><w:br w:type="page"/></w:r></w:p>' * 5000), READ),
    "last cell of excel": (lambda: sheet(cells('<c r="XFD1048576"><v>1</v></c>', '<c r="A1"><v>2</v></c>')), READ),
    "dimension of excel": (lambda: sheet('<dimension ref="A1:XFD1048576"/>' + cells("<c><v>1</v></c>")), READ),
    "merged million rows": (
        lambda: sheet(cells('<c r="A1"><v>1</v></c>') + '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
        READ,
    ),
    "20,000 merged cells over all": (
        lambda: sheet(
            "<sheetData>"
            + "".join(f'<row r="{row}">' + "<c><v>1</v></c>" * 40 + "</row>" for row in range(1, 1001))
            + "</sheetData><mergeCells>"
            + '<mergeCell ref="A1:XFD1048576"/>' * 20_000
            + "</mergeCells>"
        ),
        COMPLEX,
    ),
    "cells in a diagonal": (
        lambda: sheet(
            "<sheetData>"
            + "".join(
                f'<row r="{number + 1}"><c r="{_letters(number)}{number + 1}"><v>1</v></c></row>'
                for number in range(16_000)
            )
            + "</sheetData>"
        ),
        LARGE,
    ),
    "200,000 cells in excel": (
        lambda: sheet("<sheetData>" + ("<row>" + "<c><v>1</v></c>" * 100 + "</row>") * 2000 + "</sheetData>"),
        LARGE,
    ),
    "text of 3 million characters": (
        lambda: sheet(
            "<sheetData>" + '<row><c t="s"><v>0</v></c></row>' * 100 + "</sheetData>",
            sharedStrings=f"{_SST}<si><t>{'x' * 30_000}</t></si></sst>",
        ),
        LARGE,
    ),
    "500,000 shared strings": (
        lambda: sheet(cells('<c t="s"><v>499999</v></c>'), sharedStrings=_SST + _SI * 500_000 + "</sst>"),
        READ,
    ),
    "shared string that is not there": (lambda: sheet(cells('<c t="s"><v>-5</v></c>', '<c t="s"><v>9</v></c>')), READ),
    "numbers that are none": (
        lambda: sheet(cells("<c><v>1e999999</v></c>", "<c><v>nan</v></c>", "<c><v>" + "9" * 10_000 + "</v></c>")),
        READ,
    ),
    "style that is not there": (lambda: sheet(cells('<c s="4000000000"><v>1</v></c>', '<c s="x"><v>1</v></c>')), READ),
    "number format of many sections": (
        lambda: sheet(
            cells('<c s="0"><v>45000.5</v></c>'),
            styles='<styleSheet><numFmts><numFmt numFmtId="200" formatCode="'
            + "[h]" * 50_000
            + '"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>',
        ),
        READ,
    ),
    "slide of 10,000 groups": (lambda: slides(nested("p:grpSp", 10_000, "")), COMPLEX),
    "group without a size": (
        lambda: slides(
            '<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/><a:chOff x="0" y="0"/>'
            '<a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr><p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody>'
            "</p:sp></p:grpSp>"
        ),
        READ,
    ),
    "slide table of a million rows": (
        lambda: slides(
            '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc rowSpan="1000000" gridSpan="1000000">'
            "<a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic>"
            "</p:graphicFrame>"
        ),
        READ,
    ),
    "workbook cut": (lambda: workbook()[:-30], CORRUPT),
}

PAGES: dict[str, Made] = {
    "html of 100,000 levels": (lambda: html("<div>" * 100_000 + "x"), f"{COMPLEX} {READ}"),
    "html of 240 tables in tables": (lambda: html("<table><tr><td>" * 240 + "x"), f"{COMPLEX} {READ}"),
    "colspan of a million": (lambda: html('<table><tr><th colspan="1000000">a</th></tr><tr><td>b<td>c</table>'), READ),
    "rowspan of a million": (lambda: html('<table><tr><th rowspan="1000000">a</th></tr><tr><td>b</table>'), READ),
    "colspans in each row": (
        lambda: html("<table>" + '<tr><th colspan="1000" rowspan="9">a</th></tr>' * 2_000 + "</table>"),
        f"{READ} {LARGE} {COMPLEX}",
    ),
    "200,000 cells in html": (lambda: html("<table>" + _TR * 400 + "</table>"), LARGE),
    "500,000 paragraphs in html": (lambda: html("<p>x" * 500_000), LARGE),
    "html without text": (lambda: html("<script>x</script><p hidden>y</p>"), EMPTY),
    "html of comments": (lambda: html("<!--" * 100_000), EMPTY),
    "html of open tags": (lambda: html("<a <b " * 100_000), f"{EMPTY} {READ} {COMPLEX} {LARGE}"),
    "html of formatting": (lambda: html("<b><i><p>" * 20_000 + "x"), f"{READ} {COMPLEX} {LARGE}"),
    "html of entities": (lambda: html("&amp;&#x110000;&#0;&unknown;" * 50_000), READ),
    "html with an entity": (
        f"{OUTSIDE.replace('x', 'html', 1)}<html><body>&a;x</body></html>".encode,
        f"{READ} {EMPTY} {OTHER}",
    ),
    "html in utf-7": (lambda: b"<html><meta charset=utf-7><body>+ADw-script+AD4-x</body></html>", EMPTY),
    "html in an unknown encoding": (lambda: b"<html><meta charset=base64><body>x</body></html>", READ),
    "html of bytes": (lambda: b"<html><body>" + bytes(range(256)) * 1000, READ),
    "html of 9 MB": (lambda: html("x" * 9_000_000), LARGE),
    "html of 3 million characters": (lambda: html("x " * 1_500_001), LARGE),
    "style of many colons": (lambda: html('<p style="' + ";" * 200_000 + '">x</p>'), READ),
    "frames and links": (PAGE.encode, READ),
    "svg": (lambda: b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', OTHER),
    "xml with laughs": (f'<?xml version="1.0"?>{LAUGHS}<x>&i;</x>'.encode, OTHER),
    "mail of 5,000 levels": (lambda: multipart(5000), COMPLEX),
    "mail of 60 levels": (lambda: multipart(60), COMPLEX),
    "mail of 20 levels": (lambda: multipart(20), READ),
    "mail of 5,000 parts": (lambda: many_parts(5000), COMPLEX),
    "mail in mails": (
        lambda: mail_of("From: a\r\nSubject: x\r\n\r\ny", "Content-Type: message/rfc822"),
        READ,
    ),
    "300 mails in mails": (
        lambda: b"From: a@b.c\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n" * 300,
        f"{READ} {COMPLEX}",
    ),
    "mail without a text": (lambda: mail_of("", "Content-Type: application/pdf"), READ),
    "mail of a long header": (lambda: mail_of("x", f"Subject: {'=?utf-8?q?=41?= ' * 50_000}"), READ),
    "mail of 100,000 headers": (lambda: mail_of("x", "X-A: b\r\n" * 100_000 + "Subject: y"), READ),
    "mail with bad charsets": (
        lambda: mail_of("x\xff", 'Content-Type: text/plain; charset="zip"\r\nSubject: =?zip?b?////?='),
        READ,
    ),
    "mail of bad base64": (lambda: mail_of("%%%" * 1000, "Content-Transfer-Encoding: base64"), READ),
    "mail in uuencode": (lambda: mail_of("begin 666 x\n%%%\nend", "Content-Transfer-Encoding: x-uuencode"), READ),
    "mail of deep html": (lambda: mail_of("<div>" * 50_000 + "x"), f"{READ} {COMPLEX}"),
    "mail with a boundary of nothing": (
        lambda: mail_of("----\r\n" * 10_000, 'Content-Type: multipart/mixed; boundary=""'),
        READ,
    ),
    "mail with a name of a million": (
        lambda: mail_of("x", f'Content-Disposition: attachment; filename="{"x" * 1_000_000}"'),
        READ,
    ),
    "mail with pieces of a name": (
        lambda: mail_of("x", "Content-Disposition: attachment" + "".join(f"; filename*{n}=x" for n in range(5000))),
        READ,
    ),
    "mail of base64": (
        lambda: mail_of(
            base64.b64encode(PAGE.encode()).decode(), "Content-Type: text/html\r\nContent-Transfer-Encoding: base64"
        ),
        READ,
    ),
}

HOSTILE_OFFICE: dict[str, Made] = {**OFFICE, **PAGES}


def _letters(column: int) -> str:
    column += 1
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
