"""The keys with which programs call the API."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from tenants.api_keys.format import KeyParts
from tenants.api_keys.restrictions import LONGEST_MODEL
from tenants.core.db.tenant_owned import TenantOwned
from tenants.limits.fields import OF_ACCOUNT, own_limit
from tenants.limits.rates.rates import MAX_AT_ONCE


class ApiKey(TenantOwned):
    """An API key. Only a keyed hash of the secret is stored; the key itself is shown once."""

    audit_kind = "key"

    public_id = models.CharField(max_length=12, unique=True, editable=False)
    cell = models.CharField(max_length=16, blank=True, default="", db_default="", editable=False)
    """The cell that the text of the key names. It is empty if the key was made without cells."""
    secret_hash = models.CharField(max_length=64, editable=False)
    name = models.CharField(max_length=100)
    livemode = models.BooleanField(default=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=40), default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, editable=False, help_text="Accurate to one minute.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        db_index=False,
    )
    last_used_from = models.CharField(max_length=45, blank=True, default="", db_default="", editable=False)
    allowed_models = ArrayField(
        models.CharField(max_length=LONGEST_MODEL),
        default=list,
        db_default=[],
        blank=True,
        help_text="Models that the key may use, separated by commas. Leave empty for all models.",
    )
    allowed_networks = ArrayField(
        models.CharField(max_length=43),
        default=list,
        db_default=[],
        blank=True,
        help_text="Networks that may use the key, such as 203.0.113.0/24, separated by commas. Leave empty for all.",
    )
    replaces = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, editable=False, related_name="replaced_by"
    )
    budgets_of = models.UUIDField(null=True, editable=False)
    """The original key, whose budgets all keys in its chain of replacements share. None for itself."""
    requests_per_minute = own_limit("requests per minute", OF_ACCOUNT, least=1)
    tokens_per_minute = own_limit("tokens per minute", OF_ACCOUNT, least=1)
    pages_per_minute = own_limit("pages per minute", OF_ACCOUNT, least=1)
    calls_at_once = own_limit("concurrent calls", OF_ACCOUNT, least=1, most=MAX_AT_ONCE)

    class Meta(TenantOwned.Meta):
        verbose_name = "API key"

    @property
    def prefix(self) -> str:
        """Return the part of the key that may be shown. It distinguishes keys, but nobody can use the key with it."""
        return KeyParts(self.public_id, "", self.livemode, self.cell).prefix

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"
