"""Tests that the members of a tenant change under one lock, and that one owner is always left."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connections

from tenants.accounts.errors import LastOwner, OwnerInactive
from tenants.accounts.members import change_role, hand_over, leave, remove_member
from tenants.accounts.models import Membership, User
from tenants.audit.models import AuditEntry
from tenants.authentication.selectors import identify_member
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import NotAMember, NotPermitted
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique


def join(tenant: CreatedTenant, role: str) -> Membership:
    with operator_work():
        user = User.objects.create_user(f"{unique(role)}@example.com")
        return Membership.objects.create(tenant=tenant.tenant, user=user, role=role)


def acting(membership: Membership) -> Identity:
    identity = identify_member(membership.user_id, membership.tenant_id)
    assert identity is not None
    return identity


@pytest.fixture
def owner(tenant: CreatedTenant) -> Membership:
    with operator_work():
        return Membership.objects.get(tenant=tenant.tenant, user=tenant.owner)


def roles_of(tenant: CreatedTenant) -> list[str]:
    with operator_work():
        return sorted(Membership.objects.filter(tenant=tenant.tenant).values_list("role", flat=True))


def test_two_owners_who_leave_at_once_leave_one(tenant: CreatedTenant, owner: Membership) -> None:
    identities = [acting(owner), acting(join(tenant, "owner"))]

    def go(identity: Identity) -> bool:
        try:
            leave(identity=identity)
        except LastOwner:
            return False
        else:
            return True
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        left = list(threads.map(go, identities))
    assert sorted(left) == [False, True]
    assert roles_of(tenant) == ["owner"]


def test_the_last_owner_stays_an_owner(tenant: CreatedTenant, owner: Membership) -> None:
    with pytest.raises(LastOwner):
        change_role(identity=acting(owner), membership_id=str(owner.pk), role="viewer")
    with pytest.raises(LastOwner):
        leave(identity=acting(owner))
    assert roles_of(tenant) == ["owner"]


def test_an_admin_neither_makes_nor_unmakes_owners(tenant: CreatedTenant, owner: Membership) -> None:
    admin, viewer = acting(join(tenant, "admin")), join(tenant, "viewer")
    changes: list[Callable[[], object]] = [
        lambda: change_role(identity=admin, membership_id=str(viewer.pk), role="owner"),
        lambda: change_role(identity=admin, membership_id=str(owner.pk), role="viewer"),
        lambda: remove_member(identity=admin, membership_id=str(owner.pk)),
        lambda: hand_over(identity=admin, membership_id=str(viewer.pk)),
    ]
    for change in changes:
        with pytest.raises(NotPermitted):
            change()
    assert change_role(identity=admin, membership_id=str(viewer.pk), role="billing") is not None
    assert roles_of(tenant) == ["admin", "billing", "owner"]


@pytest.mark.parametrize("role", ["developer", "billing", "viewer"])
def test_others_change_nobody_and_may_leave(tenant: CreatedTenant, owner: Membership, role: str) -> None:
    identity, other = acting(join(tenant, role)), join(tenant, "viewer")
    with pytest.raises(NotPermitted):
        change_role(identity=identity, membership_id=str(other.pk), role="developer")
    with pytest.raises(NotPermitted):
        remove_member(identity=identity, membership_id=str(other.pk))
    leave(identity=identity)
    assert roles_of(tenant) == ["owner", "viewer"]


def test_what_somebody_may_do_is_looked_up_when_they_do_it(tenant: CreatedTenant, owner: Membership) -> None:
    """The person was still an admin when the request began."""
    admin = join(tenant, "admin")
    before, other = acting(admin), join(tenant, "viewer")
    change_role(identity=acting(owner), membership_id=str(admin.pk), role="viewer")
    with pytest.raises(NotPermitted):
        remove_member(identity=before, membership_id=str(other.pk))
    remove_member(identity=acting(owner), membership_id=str(admin.pk))
    with pytest.raises(NotAMember):
        remove_member(identity=before, membership_id=str(other.pk))


def test_handing_over_makes_one_an_owner_and_the_other_an_admin(tenant: CreatedTenant, owner: Membership) -> None:
    other = join(tenant, "developer")
    assert hand_over(identity=acting(owner), membership_id=str(other.pk)) is not None
    assert roles_of(tenant) == ["admin", "owner"]
    assert "account:write" in acting(other).scopes
    assert "account:write" not in acting(owner).scopes


def test_another_tenants_member_is_like_none(
    tenant: CreatedTenant, owner: Membership, other_tenant: CreatedTenant
) -> None:
    theirs = join(other_tenant, "viewer")
    assert change_role(identity=acting(owner), membership_id=str(theirs.pk), role="admin") is None
    assert remove_member(identity=acting(owner), membership_id=str(theirs.pk)) is None
    assert roles_of(other_tenant) == ["owner", "viewer"]


def test_who_pays_sees_money_and_no_document(tenant: CreatedTenant) -> None:
    assert acting(join(tenant, "billing")).scopes == {
        "usage:read",
        "billing:read",
        "billing:write",
        "members:read",
    }


def actions_of(tenant: CreatedTenant) -> list[tuple[str, str]]:
    with operator_work():
        found = AuditEntry.objects.filter(tenant=tenant.tenant, action__startswith="member.").order_by("id")
        return list(found.values_list("action", "subject_name"))[1:]


def test_each_change_of_members_is_on_record(tenant: CreatedTenant, owner: Membership) -> None:
    viewer, leaver = join(tenant, "viewer"), join(tenant, "developer")
    change_role(identity=acting(owner), membership_id=str(viewer.pk), role="admin")
    leave(identity=acting(leaver))
    hand_over(identity=acting(owner), membership_id=str(viewer.pk))
    remove_member(identity=acting(viewer), membership_id=str(owner.pk))
    assert actions_of(tenant) == [
        ("member.changed", viewer.user.email),
        ("member.removed", leaver.user.email),
        ("member.changed", viewer.user.email),
        ("member.changed", owner.user.email),
        ("member.removed", owner.user.email),
    ]


def test_an_owner_who_may_not_sign_in_is_no_other_owner(tenant: CreatedTenant, owner: Membership) -> None:
    other = join(tenant, "owner")
    with operator_work():
        User.objects.filter(pk=other.user_id).update(is_active=False)
    with pytest.raises(LastOwner):
        leave(identity=acting(owner))


@pytest.mark.parametrize("by", ["role", "handing over"])
def test_whoever_may_not_sign_in_is_made_no_owner(tenant: CreatedTenant, owner: Membership, by: str) -> None:
    shut_out = join(tenant, "admin")
    with operator_work():
        User.objects.filter(pk=shut_out.user_id).update(is_active=False)
    action = hand_over if by == "handing over" else partial(change_role, role="owner")
    with pytest.raises(OwnerInactive, match="cannot sign in"):
        action(identity=acting(owner), membership_id=str(shut_out.pk))
    assert roles_of(tenant) == ["admin", "owner"]
