"""Records in a tenant's audit log what operators changed in the admin for this tenant."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Model

from tenants.accounts.models import Membership, Tenant, User
from tenants.accounts.services import audit_member
from tenants.audit.changes import Changes, changes_between
from tenants.audit.services import record
from tenants.core.db.tenant_owned import TenantOwned
from tenants.limits.models import ModelLimit

_LONGEST_VALUE = 60
_ADDED, _CHANGED, _REMOVED = "added", "changed", "removed"
_STATES = {Tenant.State.SUSPENDED: "tenant.suspended", Tenant.State.ACTIVE: "tenant.activated"}


def audit_form(form: Any, formsets: Iterable[Any], *, add: bool) -> None:
    """Record the changes of one page. The service that creates the form's row records that.

    A person's new password is set by a form without a row, which belongs to no tenant.
    """
    row = getattr(form, "instance", None)
    if row is not None and add and getattr(row, "audited_when_made", False):
        _tell(row, _ADDED, changes_between({}, _values(row, form)))
    elif row is not None and not add and form.changed_data:
        _tell(row, _CHANGED, _changed_by(form))
    for formset in formsets:
        for row in formset.new_objects:
            _tell(row, _ADDED, changes_between({}, _values(row, formset.form)))
        for row, names in formset.changed_objects:
            form = next(initial for initial in formset.initial_forms if initial.instance.pk == row.pk)
            _tell(row, _CHANGED, _changed_by(form, names))
        for row in formset.deleted_objects:
            _tell(row, _REMOVED, changes_between(_values(row, formset.form), {}))


def audit_deletion(row: Model) -> None:
    _tell(row, _REMOVED, {})


def audit_action(row: Model, description: str) -> None:
    """Record an action that none of our services records."""
    tenant_id = tenant_of(row)
    if tenant_id is not None:
        subject = f"{row._meta.verbose_name} {row.pk}"
        record(tenant_id=tenant_id, action="operator.acted", subject_id=row.pk, subject=subject, note=description)


def audit_in_accounts_of(person: User, changes: Changes, note: str = "") -> None:
    """Record the change in every account of a person, as it allows acting as that member."""
    for membership in Membership.objects.filter(user_id=person.pk).select_related("user"):
        audit_member("member.access_set", membership, changes, note)


def with_values(message: Any, form: Any) -> Any:
    """Add the old and the new value of each changed field to the message for the operators' own log."""
    for part in message if isinstance(message, list) else ():
        changed = part.get("changed")
        if changed and "name" not in changed and len(changed.get("fields", ())) == len(form.changed_data):
            pairs = zip(changed["fields"], form.changed_data, strict=True)
            changed["fields"] = [_with_value(str(label), form, name) for label, name in pairs]
    return message


def _with_value(label: str, form: Any, name: str) -> str:
    change = _changed_by(form, [name]).get(name)
    if change is None:
        return label
    before, after = (str(change[side])[:_LONGEST_VALUE] for side in ("before", "after"))
    return f"{label}: {before} → {after}"


def tenant_of(row: Model) -> UUID | None:
    if isinstance(row, Tenant):
        return row.pk
    return row.tenant_id if isinstance(row, TenantOwned) else None


def _tell(row: Model, what: str, changes: Changes) -> None:
    tenant_id, kind = tenant_of(row), getattr(row, "audit_kind", None)
    if tenant_id is None or getattr(row, "audited_by_services", False):
        return
    if kind is None:
        audit_action(row, f"{what.capitalize()}.")
        return
    action = _STATES[Tenant.State(row.state)] if isinstance(row, Tenant) and "state" in changes else f"{kind}.{what}"
    subject = row.user.email if isinstance(row, Membership) else row.model if isinstance(row, ModelLimit) else row
    record(tenant_id=tenant_id, action=action, subject_id=row.pk, subject=subject, changes=changes)


def _changed_by(form: Any, names: Iterable[str] | None = None) -> Changes:
    names = list(form.changed_data if names is None else names)
    before = {name: form.initial.get(name) for name in names}
    return changes_between(before, {name: form.cleaned_data.get(name) for name in names})


def _values(row: Model, form: Any) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in form.base_fields if hasattr(row, name)}
    return {name: value for name, value in found.items() if value is not None}
