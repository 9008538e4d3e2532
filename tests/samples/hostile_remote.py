"""Documents that refer to something on another server. Their text is read, and nothing is ever fetched."""

from collections.abc import Callable

from tests.samples.emails import email_with
from tests.samples.office import package, sheet_parts, slides, word_parts

SHOWN = "shown text"
"""The text of each of these documents."""
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATED = ("image", "attachedTemplate", "oleObject", "hyperlink", "aFChunk", "subDocument", "frame", "settings")
_IN_HTML = (
    '<img src="{url}">',
    '<img srcset="{url} 2x">',
    '<picture><source srcset="{url}"></picture>',
    '<link rel="stylesheet" href="{url}">',
    '<link rel="preload" href="{url}" as="image">',
    '<link rel="prefetch" href="{url}">',
    '<link rel="dns-prefetch" href="{url}">',
    '<link rel="manifest" href="{url}">',
    '<link rel="import" href="{url}">',
    '<style>@import "{url}";</style>',
    "<style>body{{background:url({url})}}</style>",
    '<div style="background:url({url})"></div>',
    '<body background="{url}">',
    '<script src="{url}"></script>',
    '<script>fetch("{url}")</script>',
    '<iframe src="{url}"></iframe>',
    '<frameset><frame src="{url}"></frameset>',
    '<object data="{url}"></object>',
    '<embed src="{url}">',
    '<applet code="{url}"></applet>',
    '<video src="{url}" poster="{url}"></video>',
    '<audio src="{url}"></audio>',
    '<track src="{url}">',
    '<meta http-equiv="refresh" content="0;url={url}">',
    '<base href="{url}"><img src="a.png">',
    '<form action="{url}"></form>',
    '<input type="image" src="{url}">',
    '<svg><image href="{url}"/></svg>',
    '<svg><use xlink:href="{url}#a"/></svg>',
    '<a href="{url}" ping="{url}"></a>',
    "<img src=\"data:image/svg+xml,<svg><image href='{url}'/></svg>\">",
    '<iframe srcdoc="<img src={url}>"></iframe>',
    '<math><maction xlink:href="{url}"></maction></math>',
)
_IN_FIELDS = (
    "List-Unsubscribe: <{url}>",
    "Disposition-Notification-To: <{url}>",
    "X-Image-Url: {url}",
    "Content-Location: {url}",
    "Content-Base: {url}",
)


def remote_documents(url: str) -> dict[str, Callable[[], bytes]]:
    """Return documents that refer to the URL, each of which shows nothing but its text."""
    return {
        **{f"word with a remote {kind}": _word(kind, url) for kind in _RELATED},
        **{f"excel with a remote {kind}": _excel(kind, url) for kind in ("externalLink", "image", "connections")},
        "powerpoint with a remote picture": _slide(url),
        **{f"html: {markup[:40]}": _html(markup, url) for markup in _IN_HTML},
        **{f"email: {markup[:40]}": _mail(markup, url) for markup in _IN_HTML[:16]},
        **{f"email: {field[:20]}": _fields(field, url) for field in _IN_FIELDS},
        "email with a body elsewhere": lambda: _elsewhere(url),
    }


def _relation(kind: str, url: str) -> str:
    return (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}/{kind}" Target="{url}" TargetMode="External"/></Relationships>'
    )


def _word(kind: str, url: str) -> Callable[[], bytes]:
    text = f'<w:p><w:hyperlink r:id="r1"><w:r><w:t>{SHOWN}</w:t></w:r></w:hyperlink></w:p>'
    body = text.replace(' r:id="r1"', "")
    return lambda: package({**word_parts(body), "word/_rels/document.xml.rels": _relation(kind, url)})


def _excel(kind: str, url: str) -> Callable[[], bytes]:
    cell = f'<sheetData><row><c t="inlineStr"><f>WEBSERVICE("{url}")</f><is><t>{SHOWN}</t></is></c></row></sheetData>'
    return lambda: package({**sheet_parts(cell), "xl/_rels/sheet1.xml.rels": _relation(kind, url)})


def _slide(url: str) -> Callable[[], bytes]:
    shape = f"<p:sp><p:txBody><a:p><a:r><a:t>{SHOWN}</a:t></a:r></a:p></p:txBody></p:sp>"
    return lambda: slides(f'<p:pic><p:blipFill><a:blip link="{url}"/></p:blipFill></p:pic>{shape}')


def _html(markup: str, url: str) -> Callable[[], bytes]:
    return f"<!DOCTYPE html><html><p>{SHOWN}</p>{markup.format(url=url)}</html>".encode


def _mail(markup: str, url: str) -> Callable[[], bytes]:
    page = _html(markup, url)
    fields = b"From: a@b.c\r\nMessage-ID: <1@b.c>\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n"
    return lambda: fields + page()


def _fields(field: str, url: str) -> Callable[[], bytes]:
    return lambda: field.format(url=url).encode() + b"\r\n" + email_with(text=SHOWN)


def _elsewhere(url: str) -> bytes:
    part = f'Content-Type: message/external-body; access-type=URL; URL="{url}"\r\n\r\nContent-Type: image/png\r\n'
    head = "From: a@b.c\r\nMessage-ID: <1@b.c>\r\nContent-Type: multipart/mixed; boundary=e\r\n\r\n"
    return f"{head}--e\r\nContent-Type: text/plain\r\n\r\n{SHOWN}\r\n--e\r\n{part}\r\n--e--\r\n".encode()
