"""The names of the ids in the request log. Call this inside the tenant's unit of work."""

from tenants.accounts.models import Membership


def names_of_people() -> dict[str, str]:
    rows = Membership.objects.values_list("user_id", "user__email")
    return {str(user_id): email for user_id, email in rows}
