"""People, tenants and the keys their programs use."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from tenants.billing.models import UsageRecord
from tenants.ids import uuid7
from tenants.scoped import TenantOwned

__all__ = ["ApiKey", "Membership", "Tenant", "UsageRecord", "User"]


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        if not email:
            raise ValueError("an e-mail address is needed")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person. Belongs to tenants through memberships; operators are staff."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField("operator", default=False, help_text="May enter the admin.")
    date_joined = models.DateTimeField(default=timezone.now, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"

    def __str__(self) -> str:
        return self.email


class Tenant(models.Model):
    """A customer: the unit of isolation, of limits and of the bill."""

    class State(models.TextChoices):
        ACTIVE = "active"
        SUSPENDED = "suspended"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=200)
    state = models.CharField(max_length=12, choices=State.choices, default=State.ACTIVE)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return self.name


class Membership(TenantOwned):
    class Role(models.TextChoices):
        OWNER = "owner"
        ADMIN = "admin"
        DEVELOPER = "developer"
        BILLING = "billing"
        VIEWER = "viewer"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.DEVELOPER)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta(TenantOwned.Meta):
        constraints = [
            *TenantOwned.Meta.constraints,
            models.UniqueConstraint(fields=["tenant", "user"], name="tenants_membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} as {self.role}"


class ApiKey(TenantOwned):
    """Only a keyed hash of the secret is stored; the key itself is shown once."""

    public_id = models.CharField(max_length=12, unique=True, editable=False)
    secret_hash = models.CharField(max_length=64, editable=False)
    name = models.CharField(max_length=100)
    livemode = models.BooleanField(default=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=40), default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.name} (maas_{'live' if self.livemode else 'test'}_{self.public_id})"
