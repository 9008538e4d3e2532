"""Limits of tenants, keys and a tenant's use of a model; whoever is let in comes with them."""

import django.core.validators
import django.db.models.deletion
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE, protect)

RATES = ("requests_per_minute", "tokens_per_minute", "pages_per_minute", "calls_at_once")


def _of(row: str, *more: str) -> str:
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in (*RATES, *more))
    return f"jsonb_build_object({pairs})"


OF_TENANT = _of("t", "unfinished_jobs")
OF_MODELS = f"(SELECT jsonb_object_agg(l.model, {_of('l')}) FROM tenants_modellimit l WHERE l.tenant_id = t.id)"

KEY_BEFORE = """
CREATE FUNCTION maas_api_key(wanted text)
    RETURNS TABLE (id uuid, tenant_id uuid, secret_hash text, livemode boolean, scopes text[],
                   expired boolean, revoked_at timestamptz, tenant_state text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
        SELECT k.id, k.tenant_id, k.secret_hash, k.livemode, k.scopes::text[],
               coalesce(k.expires_at <= clock_timestamp(), false), k.revoked_at, t.state
        FROM tenants_apikey k JOIN tenants_tenant t ON t.id = k.tenant_id
        WHERE k.public_id = wanted
    $$;
"""
KEY = f"""
CREATE FUNCTION maas_api_key(wanted text)
    RETURNS TABLE (id uuid, tenant_id uuid, secret_hash text, livemode boolean, scopes text[],
                   expired boolean, revoked_at timestamptz, tenant_state text, limits jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
        SELECT k.id, k.tenant_id, k.secret_hash, k.livemode, k.scopes::text[],
               coalesce(k.expires_at <= clock_timestamp(), false), k.revoked_at, t.state,
               jsonb_build_object('tenant', {OF_TENANT}, 'key', {_of("k")}, 'models', {OF_MODELS})
        FROM tenants_apikey k JOIN tenants_tenant t ON t.id = k.tenant_id
        WHERE k.public_id = wanted
    $$;
"""
MEMBERSHIPS_BEFORE = """
CREATE FUNCTION maas_memberships_of(person uuid)
    RETURNS TABLE (tenant_id uuid, tenant_name text, tenant_state text, role text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
        SELECT t.id, t.name, t.state, m.role
        FROM tenants_membership m
        JOIN tenants_tenant t ON t.id = m.tenant_id
        JOIN tenants_user u ON u.id = m.user_id
        WHERE m.user_id = person AND u.is_active
        ORDER BY t.state <> 'active', m.created_at, m.id
    $$;
"""
MEMBERSHIPS = f"""
CREATE FUNCTION maas_memberships_of(person uuid)
    RETURNS TABLE (tenant_id uuid, tenant_name text, tenant_state text, role text, limits jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
        SELECT t.id, t.name, t.state, m.role, jsonb_build_object('tenant', {OF_TENANT}, 'models', {OF_MODELS})
        FROM tenants_membership m
        JOIN tenants_tenant t ON t.id = m.tenant_id
        JOIN tenants_user u ON u.id = m.user_id
        WHERE m.user_id = person AND u.is_active
        ORDER BY t.state <> 'active', m.created_at, m.id
    $$;
"""
# The operator's role owns the doors: they see every tenant's row, and let out one.
HAND_OVER = f"""
REVOKE EXECUTE ON FUNCTION maas_api_key(text), maas_memberships_of(uuid) FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
ALTER FUNCTION maas_api_key(text) OWNER TO {OPERATOR_ROLE};
ALTER FUNCTION maas_memberships_of(uuid) OWNER TO {OPERATOR_ROLE};
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
GRANT EXECUTE ON FUNCTION maas_api_key(text), maas_memberships_of(uuid) TO {APP_ROLE};
RESET ROLE;
"""
TAKE_AWAY = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
DROP FUNCTION maas_api_key(text);
DROP FUNCTION maas_memberships_of(uuid);
RESET ROLE;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0006_audit_rights'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='calls_at_once',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: only the account's.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000)], verbose_name='calls at once'),
        ),
        migrations.AddField(
            model_name='apikey',
            name='pages_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: only the account's.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000000)], verbose_name='pages a minute'),
        ),
        migrations.AddField(
            model_name='apikey',
            name='requests_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: only the account's.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000000)], verbose_name='requests a minute'),
        ),
        migrations.AddField(
            model_name='apikey',
            name='tokens_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: only the account's.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000000)], verbose_name='tokens a minute'),
        ),
        migrations.AddField(
            model_name='tenant',
            name='calls_at_once',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000)], verbose_name='calls at once'),
        ),
        migrations.AddField(
            model_name='tenant',
            name='pages_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='pages a minute'),
        ),
        migrations.AddField(
            model_name='tenant',
            name='requests_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='requests a minute'),
        ),
        migrations.AddField(
            model_name='tenant',
            name='tokens_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='tokens a minute'),
        ),
        migrations.AddField(
            model_name='tenant',
            name='unfinished_jobs',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='unfinished jobs'),
        ),
        migrations.CreateModel(
            name='ModelLimit',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('model', models.CharField(help_text='Its name, such as embed; all versions count together.', max_length=100)),
                ('requests_per_minute', models.PositiveIntegerField(blank=True, help_text="Empty: only the account's.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000000)], verbose_name='requests a minute')),
                ('tokens_per_minute', models.PositiveIntegerField(blank=True, help_text="Empty: only the account's.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000000)], verbose_name='tokens a minute')),
                ('pages_per_minute', models.PositiveIntegerField(blank=True, help_text="Empty: only the account's.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000000)], verbose_name='pages a minute')),
                ('calls_at_once', models.PositiveIntegerField(blank=True, help_text="Empty: only the account's.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000)], verbose_name='calls at once')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_modellimit_tenant'), models.UniqueConstraint(fields=('tenant', 'model'), name='tenants_modellimit_once')],
            },
        ),
        protect("tenants_modellimit"),
        migrations.RunSQL(
            TAKE_AWAY + KEY + MEMBERSHIPS + HAND_OVER,
            TAKE_AWAY + KEY_BEFORE + MEMBERSHIPS_BEFORE + HAND_OVER,
        ),
    ]
