"""Creates a tenant with an owner and a first API key, and prints them as JSON."""

import json
import secrets
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from tenants.cells.cells import Cells
from tenants.core.messages import names_in_words
from tenants.onboarding.create_tenant import create_tenant


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help="name of the tenant")
        parser.add_argument("--email", required=True, help="email of the owner, who is created if necessary")
        parser.add_argument("--password", help="password of a new owner (default: a random one, which is printed)")
        parser.add_argument("--cell", help="home cell of the tenant, which must be this one: tenants cannot be moved")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            validate_email(options["email"])
        except ValidationError:
            raise CommandError(f"--email {options['email']!r} is not an email address") from None
        if refused := other_cell(settings.MAAS_CELLS, options["cell"]):
            raise CommandError(refused)
        password = options["password"] or secrets.token_urlsafe(12)
        made = create_tenant(name=options["name"], email=options["email"], password=password)
        new_person = made.owner.check_password(password)
        self.stdout.write(
            json.dumps(
                {
                    "tenant_id": str(made.tenant.id),
                    "name": made.tenant.name,
                    "email": made.owner.email,
                    "password": password if new_person else None,
                    "api_key": made.key.text,
                }
            )
        )


def other_cell(cells: Cells, wanted: str | None) -> str:
    """Return why a tenant of that home cell cannot be created here, or an empty text."""
    if not wanted or wanted == cells.own:
        return ""
    if not cells:
        return f"--cell {wanted!r}: this installation has no cells. Leave it out, or set MAAS_CELL"
    cell = cells.by_name.get(wanted)
    if cell is None:
        return f"--cell {wanted!r} is not in MAAS_CELLS; there are {names_in_words(cells.by_name)}"
    return (
        f"--cell {wanted!r}: this is the cell {cells.own!r}, and a tenant's data never leaves its home cell. "
        f"Run this in {wanted!r}, {cell.url}"
    )
