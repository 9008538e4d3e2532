"""A mail server on this machine that keeps what it receives. It supports as much of SMTP as the tests need."""

import socketserver
import threading
from email import message_from_bytes
from email.message import Message


class MailServer:
    def __init__(self, *, refuses: str = "") -> None:
        self.mails: list[tuple[str, Message]] = []
        """The mails, each with the address to which it was sent."""
        self.refuses = refuses
        self.puts_off: dict[str, str] = {}
        """The temporary response for each address."""
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(server) -> type[socketserver.StreamRequestHandler]:
        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._say("220 here")
                to = ""
                while line := self.rfile.readline().decode().strip():
                    match line.split(" ")[0].upper():
                        case "DATA":
                            self._say("354 go on")
                            server.mails.append((to, message_from_bytes(self._data())))
                            self._say("250 taken")
                        case "RCPT":
                            to = line.partition("<")[2].partition(">")[0]
                            refusal = "550 nobody" if to == server.refuses else ""
                            self._say(refusal or server.puts_off.get(to, "250 yes"))
                        case "QUIT":
                            self._say("221 bye")
                            return
                        case _:
                            self._say("250 yes")

            def _data(self) -> bytes:
                lines = []
                while (line := self.rfile.readline()) != b".\r\n":
                    lines.append(line)
                return b"".join(lines)

            def _say(self, words: str) -> None:
                self.wfile.write(f"{words}\r\n".encode())

        return Handler
