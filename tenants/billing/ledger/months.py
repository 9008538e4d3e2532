"""The month that budgets count in, by the database's clock and in UTC."""

from datetime import date

from tenants.core.db.clock import database_now


def first_of_this_month() -> date:
    return database_now().date().replace(day=1)
