"""People, tenants, and their memberships."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from tenants.core.db.tenant_owned import TenantOwned
from tenants.core.ids import uuid7
from tenants.identity import roles
from tenants.limits.fields import AccountLimits


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        if not email:
            raise ValueError("an email address is required")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person, who belongs to tenants through memberships. Operators are staff."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField("operator", default=False, help_text="Can use the admin.")
    date_joined = models.DateTimeField(default=timezone.now, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"

    def __str__(self) -> str:
        return self.email


class Tenant(AccountLimits):
    """A customer: the unit of isolation, of limits and of the bill."""

    audit_kind = "tenant"

    class State(models.TextChoices):
        ACTIVE = "active"
        SUSPENDED = "suspended"
        CLOSING = "closing"
        """The deletion was requested, and can be canceled until `closes_at`."""
        ERASING = "erasing"
        ERASED = "erased"
        """The data is erased. Only the usage and payments remain, without a name."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=200)
    state = models.CharField(max_length=12, choices=State.choices, default=State.ACTIVE)
    tier = models.ForeignKey(
        "tenants.Tier",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        db_index=False,
        related_name="tenants",
        help_text="Workers that serve it. Leave empty for the tier of its plan.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    closes_at = models.DateTimeField(null=True, editable=False, help_text="When erasing the tenant starts.")
    closing_notified_at = models.DateTimeField(
        null=True, editable=False, help_text="When the owners were reminded of the erasure."
    )
    suspended_closing = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Whether the tenant is suspended until its deletion. Owners cannot cancel the deletion.",
    )
    results_generation = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text="Increased when the cached results are erased, so that no older result is found.",
    )

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(weight__gte=1), name="tenants_tenant_has_weight")]

    def __str__(self) -> str:
        return self.name


class Membership(TenantOwned):
    audit_kind = "member"

    class Role(models.TextChoices):
        OWNER = roles.OWNER
        ADMIN = roles.ADMIN
        DEVELOPER = roles.DEVELOPER
        BILLING = roles.BILLING
        VIEWER = roles.VIEWER

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.DEVELOPER)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "user"], name="tenants_membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user.email} as {self.role} of {self.tenant.name}"


class Invitation(TenantOwned):
    """An email with a link that makes the person who opens it a member, once. A new link increases `serial`."""

    email = models.EmailField()
    role = models.CharField(max_length=12, choices=Membership.Role.choices)
    serial = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)
    invited_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    accepted_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False, editable=False
    )

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(
                fields=["tenant", "email"],
                name="tenants_invitation_open_once",
                condition=models.Q(accepted_at=None, revoked_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.tenant.name}"
