"""Receives webhooks on your own machine: it prints each message and checks its signature."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from jobs.webhooks.listening import receiver
from jobs.webhooks.signing import key_of

_WELCOME = """Listening on {url} until Ctrl-C. {reachable}
Make it an endpoint (the answer holds the secret; start again with --secret to have signatures checked):

  curl -s -H "Authorization: Bearer $MAAS_API_KEY" -H 'Content-Type: application/json' \\
    -d '{{"url": "{url}"}}' {public}/v1/webhooks/endpoints
"""
_UNREACHABLE = "The product will not send to it: start it with MAAS_EGRESS_LOOPBACK=1."


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--port", type=int, default=9000, help="port on 127.0.0.1; 0: any free port (default: 9000)"
        )
        parser.add_argument("--secret", help="secret of the endpoint (whsec_…), to check signatures")
        parser.add_argument(
            "--status",
            type=int,
            default=200,
            help="HTTP status to respond with, such as 500 to see retries (default: 200)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._check(options["secret"], options["status"])
        try:
            server = receiver(options["port"], secret=options["secret"], say=self._say, status=options["status"])
        except (OSError, OverflowError) as error:
            raise CommandError(f"Port {options['port']} cannot be listened on: {error}") from error
        reachable = "" if settings.MAAS_EGRESS_LOOPBACK else _UNREACHABLE
        url = f"http://127.0.0.1:{server.server_port}/"
        self._say(_WELCOME.format(url=url, reachable=reachable, public=settings.MAAS_PUBLIC_URL))
        with server:
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                self._say("")

    def _check(self, secret: str | None, status: int) -> None:
        if not 200 <= status <= 599:
            raise CommandError(f"--status {status} is none that a receiver answers; take one from 200 to 599.")
        try:
            key_of(secret or "whsec_" + "A" * 32)
        except ValueError as error:
            raise CommandError(f"--secret is not a webhook's secret, whsec_…: {error}") from error

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
