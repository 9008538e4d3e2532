"""The PDF's metadata as XMP. The library's own metadata would contain the time of writing, which differs each time."""

from datetime import date
from xml.sax.saxutils import escape

MAKER = "Document AI"
_XMP = """\
<x:xmpmeta xmlns:x="adobe:ns:meta/">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
        xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
      <dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
      <dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>
      <dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
      <xmp:CreateDate>{day}T00:00:00Z</xmp:CreateDate>
      <xmp:ModifyDate>{day}T00:00:00Z</xmp:ModifyDate>
      <xmp:CreatorTool>{maker}</xmp:CreatorTool>
      <pdf:Producer>{maker}</pdf:Producer>
      <pdfaid:part>3</pdfaid:part>
      <pdfaid:conformance>U</pdfaid:conformance>
    </rdf:Description>
  </rdf:RDF>
</x:xmpmeta>"""


def xmp(*, title: str, author: str, subject: str, day: date) -> str:
    return _XMP.format(
        title=escape(title), author=escape(author), subject=escape(subject), day=day.isoformat(), maker=MAKER
    )
