"""Makes emails with attachments, as bytes that no library has to build."""

import base64


def email_with(*attachments: tuple[str, bytes], subject: str = "Papers", text: str = "See below.") -> bytes:
    """Return an email. What is attached under a name that ends in `.eml` is attached as an email."""
    edge = f"edge-{subject.replace(' ', '-')}"
    parts = [f"Content-Type: text/plain; charset=utf-8\r\n\r\n{text}".encode()]
    parts += [_email(content) if name.endswith(".eml") else _file(name, content) for name, content in attachments]
    between = f"\r\n--{edge}\r\n".encode()
    return head(subject, edge) + between + between.join(parts) + f"\r\n--{edge}--\r\n".encode()


def head(subject: str, edge: str) -> bytes:
    return (
        f"From: ada@example.com\r\nTo: bob@example.com\r\nSubject: {subject}\r\n"
        f"Date: Mon, 2 Mar 2026 10:00:00 +0000\r\nMessage-ID: <{subject.replace(' ', '.')}@example.com>\r\n"
        f"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary={edge}\r\n"
    ).encode()


def nested_emails(levels: int, innermost: bytes) -> bytes:
    """Return an email in an email, and so on."""
    mail = innermost
    for level in range(levels):
        mail = email_with((f"{level}.eml", mail), subject=f"Level {level}", text=f"Level {level}")
    return mail


def _email(content: bytes) -> bytes:
    return b"Content-Type: message/rfc822\r\n\r\n" + content


def _file(name: str, content: bytes) -> bytes:
    fields = (
        f"Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n"
        f'Content-Disposition: attachment; filename="{name}"\r\n\r\n'
    )
    return fields.encode() + base64.encodebytes(content).replace(b"\n", b"\r\n")
