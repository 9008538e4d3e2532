"""Tests that an operator without all rights sees and does what the operator's groups allow, and cannot get more."""

import re
from collections.abc import Callable, Iterator

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.test import Client, RequestFactory
from django.urls import reverse

from maas.ops.admin.visibility import ABOUT
from tenants.accounts.models import User
from tenants.accounts.services import create_operator
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique

NONE = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
PEOPLE = ("tenants.view_user", "tenants.change_user", "tenants.delete_user", "auth.change_group")


def permission(name: str) -> Permission:
    app, codename = name.split(".")
    with operator_work():
        return Permission.objects.get(content_type__app_label=app, codename=codename)


@pytest.fixture
def operator_who_may(client: Client) -> Callable[..., Client]:
    """Signs in a member of staff with these permissions, by a group of their own."""

    def sign_in(*names: str) -> Client:
        with operator_work():
            person = User.objects.create_user(f"{unique('limited')}@example.com", is_staff=True)
            group = Group.objects.create(name=unique("group"))
            group.permissions.set([permission(name) for name in names])
            person.groups.add(group)
        client.force_login(person)
        return client

    return sign_in


def signed_in(operator: Client) -> User:
    return User.objects.get(pk=operator.session["_auth_user_id"])


def again(person: User) -> User:
    return User.objects.get(pk=person.pk)


def page_of(person: User, page: str = "change") -> str:
    return reverse(f"admin:tenants_user_{page}", args=[person.pk])


def test_rights_are_not_given_by_an_operator_without_all_of_them(
    operator_who_may: Callable[..., Client], tenant: CreatedTenant
) -> None:
    operator = operator_who_may(*PEOPLE)
    person = tenant.owner
    with operator_work():
        group = Group.objects.create(name=unique("group"))
    rights = {"is_staff": "on", "is_superuser": "on", "groups": [str(group.pk)]}
    form = {"email": person.email, "name": "Ada", "is_active": "on", **rights, **NONE}
    assert operator.post(page_of(person), form).status_code == 302
    changed = again(person)
    assert changed.name == "Ada"
    with operator_work():
        assert (changed.is_staff, changed.is_superuser, changed.groups.count()) == (False, False, 0)


def test_an_operator_does_not_change_the_own_rights(operator_who_may: Callable[..., Client]) -> None:
    operator = operator_who_may(*PEOPLE)
    person = signed_in(operator)
    form = {"email": person.email, "is_active": "on", "is_superuser": "on", **NONE}
    assert operator.post(page_of(person), form).status_code == 403
    assert not again(person).is_superuser


@pytest.mark.parametrize("rank", ["operator", "superuser"])
def test_only_superusers_change_or_delete_operators(operator_who_may: Callable[..., Client], rank: str) -> None:
    operator = operator_who_may(*PEOPLE)
    with operator_work():
        email = f"{unique(rank)}@example.com"
        if rank == "superuser":
            other = create_operator(email=email, password="correct horse")
        else:
            other = User.objects.create_user(email, "correct horse", is_staff=True)
    new = {"password1": "battery staple", "password2": "battery staple", "usable_password": "true"}
    assert operator.get(page_of(other)).status_code == 200
    assert operator.post(page_of(other), {"email": "mine@example.com", **NONE}).status_code == 403
    assert operator.post(reverse("admin:auth_user_password_change", args=[other.pk]), new).status_code == 403
    assert operator.post(page_of(other, "delete"), {"post": "yes"}).status_code == 403
    assert again(other).check_password("correct horse")
    assert again(other).email == other.email


def test_an_operator_sets_the_password_of_a_person_who_is_none_and_belongs_to_no_account(
    operator_who_may: Callable[..., Client],
) -> None:
    with operator_work():
        person = User.objects.create_user(f"{unique('alone')}@example.com")
    new = {"password1": "battery staple", "password2": "battery staple", "usable_password": "true"}
    at = reverse("admin:auth_user_password_change", args=[person.pk])
    assert operator_who_may(*PEOPLE).post(at, new).status_code == 302
    assert again(person).check_password("battery staple")


def test_only_superusers_say_what_a_group_may(operator_who_may: Callable[..., Client]) -> None:
    operator = operator_who_may(*PEOPLE)
    with operator_work():
        own = signed_in(operator).groups.get()
        every = [str(pk) for pk in Permission.objects.values_list("pk", flat=True)]
    at = reverse("admin:auth_group_change", args=[own.pk])
    assert operator.post(at, {"name": own.name, "permissions": every}).status_code == 403
    assert operator.post(reverse("admin:auth_group_delete", args=[own.pk])).status_code == 403
    with operator_work():
        assert own.permissions.count() == len(PEOPLE)


def parts_shown(page: str) -> set[str]:
    return set(re.findall(r'(?:id="(?:tile-|ranking-)?|data-zone=")([a-z-]+)"', page)) & set(ABOUT)


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        ((), set()),
        (("jobs.job",), {"requests", "jobs", "states"}),
        (("jobs.document", "tenants.tenant"), {"storage", "storage-by-tenant"}),
        (("admin.logentry",), {"actions"}),
        (tuple({kind for kinds in ABOUT.values() for kind in kinds}), set(ABOUT)),
    ],
    ids=["nothing", "jobs", "documents and tenants", "entries", "everything"],
)
def test_the_home_shows_each_part_to_whoever_may_see_its_rows(
    operator_who_may: Callable[..., Client], kinds: tuple[str, ...], shown: set[str]
) -> None:
    operator = operator_who_may(*(kind.replace(".", ".view_") for kind in kinds))
    for address in (reverse("admin:index"), reverse("admin-live")):
        page = operator.get(address).content.decode()
        assert parts_shown(page) == shown
        assert ("You do not have permission to view anything here" in page) is (not shown)


def test_workers_are_shown_to_whoever_may_see_pages(operator_who_may: Callable[..., Client]) -> None:
    places = [reverse("admin:jobs_workers"), reverse("admin:jobs_workers_live")]
    assert [operator_who_may("jobs.view_job").get(place).status_code for place in places] == [403, 403]
    assert [operator_who_may("jobs.view_page").get(place).status_code for place in places] == [200, 200]


def test_the_sidebar_offers_the_lists_that_open(operator_who_may: Callable[..., Client]) -> None:
    page = operator_who_may("jobs.view_job").get(reverse("admin:index")).content.decode()
    assert reverse("admin:jobs_job_changelist") in page
    for name in ("jobs_document_changelist", "jobs_workers", "auth_group_changelist"):
        assert f'href="{reverse(f"admin:{name}")}"' not in page


@pytest.fixture
def superuser(client: Client) -> User:
    person = create_operator(email=f"{unique('super')}@example.com", password="correct horse")
    client.force_login(person)
    return person


RIGHTS_OF_ALL = ("is_active", "is_staff", "is_superuser")


def without(person: User, right: str) -> dict[str, str]:
    return {"email": person.email, **{each: "on" for each in RIGHTS_OF_ALL if each != right}, **NONE}


@pytest.mark.parametrize("right", RIGHTS_OF_ALL)
def test_nobody_takes_the_own_way_in(client: Client, superuser: User, right: str) -> None:
    answer = client.post(page_of(superuser), without(superuser, right))
    assert answer.context["adminform"].form.errors == {
        right: ["You cannot remove this right from yourself. Ask another operator."]
    }
    assert getattr(again(superuser), right)


@pytest.mark.parametrize("right", RIGHTS_OF_ALL)
def test_a_superuser_loses_rights_while_another_is_left(client: Client, superuser: User, right: str) -> None:
    other = create_operator(email=f"{unique('super')}@example.com", password="correct horse")
    assert client.post(page_of(other), without(other, right)).status_code == 302
    assert not getattr(again(other), right)


def test_nobody_deletes_themselves(client: Client, superuser: User) -> None:
    assert client.post(page_of(superuser, "delete"), {"post": "yes"}).status_code == 403


@pytest.fixture
def lone(superuser: User) -> Iterator[User]:
    """Yield the only superuser, in a transaction that is then rolled back."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        User.objects.exclude(pk=superuser.pk).update(is_superuser=False)
        yield superuser
        transaction.set_rollback(True, using=OPERATOR)


@pytest.mark.parametrize("right", RIGHTS_OF_ALL)
def test_the_last_superuser_keeps_the_way_in_whoever_asks(lone: User, right: str) -> None:
    request = RequestFactory().get("/")
    request.user = User(is_active=True, is_staff=True, is_superuser=True)
    filled_in = admin.site.get_model_admin(User).get_form(request, lone)(without(lone, right), instance=lone)
    assert "This is the last active superuser" in str(filled_in.errors[right])


def test_the_last_superuser_is_not_deleted(lone: User) -> None:
    with pytest.raises(PermissionDenied):
        admin.site.get_model_admin(User).delete_model(RequestFactory().post("/"), lone)
