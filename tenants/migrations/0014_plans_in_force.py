"""What holds of plans at this moment: one view of limits, one function of prices, and what has begun is kept as it was."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE, protect)

RATES = ("requests_per_minute", "tokens_per_minute", "pages_per_minute", "calls_at_once")
OF_JOBS = ("unfinished_jobs", "unfinished_pages", "pages_at_once")
KEPT = ("keep_documents_days", "keep_results_days", "keep_events_days")
VERSIONS = ("tenants_planprice", "tenants_planincluded", "tenants_tenantprice")

_PLAN_NOW = """(SELECT s.plan_id FROM tenants_subscription s
        WHERE s.tenant_id = {tenant} AND s.starts_at <= clock_timestamp() ORDER BY s.starts_at DESC LIMIT 1)"""


def _of(row: str, *more: str) -> str:
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in (*RATES, *more))
    return f"jsonb_build_object({pairs})"


OF_TENANT = _of("t", "unfinished_jobs")
OF_MODELS = f"(SELECT jsonb_object_agg(l.model, {_of('l')}) FROM tenants_modellimit l WHERE l.tenant_id = t.id)"

# Of each number the tenant's own, or else the plan's: said here alone, for whoever reads limits.
CHOSEN = f"""
CREATE VIEW tenants_chosenlimits WITH (security_invoker = true) AS
SELECT t.id, t.state, p.id AS plan_id, coalesce(t.weight, p.weight, 1) AS weight,
       {", ".join(f"coalesce(t.{name}, p.{name}) AS {name}" for name in (*RATES, *OF_JOBS, *KEPT))}
FROM tenants_tenant t LEFT JOIN tenants_plan p ON p.id = {_PLAN_NOW.format(tenant="t.id")};
"""
# One price for each model and meter, and of each only the version that holds now; an empty amount is the end of one.
TERMS = f"""
CREATE FUNCTION maas_terms_of(wanted uuid) RETURNS jsonb LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
    WITH plan AS (SELECT p.* FROM tenants_plan p WHERE p.id = {_PLAN_NOW.format(tenant="wanted")}),
    held AS (
        (SELECT DISTINCT ON (v.model, v.meter) 'tenant' AS of, v.id, v.model, v.meter, v.amount_micros,
                v.cached_micros, v.per, v.currency, v.holds_from
         FROM tenants_tenantprice v WHERE v.tenant_id = wanted AND v.holds_from <= clock_timestamp()
         ORDER BY v.model, v.meter, v.holds_from DESC)
        UNION ALL
        (SELECT DISTINCT ON (v.model, v.meter) 'plan', v.id, v.model, v.meter, v.amount_micros,
                v.cached_micros, v.per, plan.currency, v.holds_from
         FROM plan JOIN tenants_planprice v ON v.plan_id = plan.id AND v.holds_from <= clock_timestamp()
         ORDER BY v.model, v.meter, v.holds_from DESC)
    )
    SELECT jsonb_build_object(
        'plan', (SELECT {_of("plan", "unfinished_jobs")} FROM plan),
        'prices', (SELECT jsonb_agg(to_jsonb(held)) FROM held WHERE amount_micros IS NOT NULL))
$$;
"""
# The doors keep what they return, so that processes of before go on.
DOORS = f"""
GRANT CREATE ON SCHEMA public TO {OPERATOR_ROLE};
SET LOCAL ROLE {OPERATOR_ROLE};
CREATE OR REPLACE FUNCTION maas_api_key(wanted text)
    RETURNS TABLE (id uuid, tenant_id uuid, secret_hash text, livemode boolean, scopes text[],
                   expired boolean, revoked_at timestamptz, tenant_state text, limits jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
        SELECT k.id, k.tenant_id, k.secret_hash, k.livemode, k.scopes::text[],
               coalesce(k.expires_at <= clock_timestamp(), false), k.revoked_at, t.state,
               jsonb_build_object('tenant', {OF_TENANT}, 'key', {_of("k")}, 'models', {OF_MODELS})%(more)s
        FROM tenants_apikey k JOIN tenants_tenant t ON t.id = k.tenant_id
        WHERE k.public_id = wanted
    $$;
CREATE OR REPLACE FUNCTION maas_memberships_of(person uuid)
    RETURNS TABLE (tenant_id uuid, tenant_name text, tenant_state text, role text, limits jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
    AS $$
        SELECT t.id, t.name, t.state, m.role,
               jsonb_build_object('tenant', {OF_TENANT}, 'models', {OF_MODELS})%(more)s
        FROM tenants_membership m
        JOIN tenants_tenant t ON t.id = m.tenant_id
        JOIN tenants_user u ON u.id = m.user_id
        WHERE m.user_id = person AND u.is_active
        ORDER BY t.state <> 'active', m.created_at, m.id
    $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM {OPERATOR_ROLE};
"""
NOW = DOORS % {"more": " || maas_terms_of(t.id)"}
BEFORE = DOORS % {"more": ""}

# A minute, since whoever writes "from now on" arrives a moment later.
KEEP = """
CREATE FUNCTION maas_keep_begun() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz;
    begins timestamptz;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        began := (to_jsonb(OLD) ->> TG_ARGV[0])::timestamptz;
        IF began <= clock_timestamp() THEN
            RAISE EXCEPTION '% % holds since % and cannot be changed: add one that follows it',
                TG_TABLE_NAME, OLD.id, began USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    begins := (to_jsonb(NEW) ->> TG_ARGV[0])::timestamptz;
    IF begins < clock_timestamp() - interval '1 minute' THEN
        RAISE EXCEPTION '% cannot begin at %, which is over', TG_TABLE_NAME, begins USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION maas_keep_plan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM tenants_subscription WHERE plan_id = OLD.id) THEN
        RAISE EXCEPTION 'plan % has been sold: its fee and currency stay', OLD.code USING ERRCODE = 'check_violation';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER keep_sold BEFORE UPDATE OF currency, monthly_fee_micros ON tenants_plan FOR EACH ROW
    WHEN ((OLD.currency, OLD.monthly_fee_micros) IS DISTINCT FROM (NEW.currency, NEW.monthly_fee_micros))
    EXECUTE FUNCTION maas_keep_plan();
""" + "".join(
    f"""
CREATE TRIGGER keep_begun BEFORE INSERT OR UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION maas_keep_begun('{column}');
"""
    for table, column in [*((table, "holds_from") for table in VERSIONS), ("tenants_subscription", "starts_at")]
)
OPERATORS = f"""
REVOKE INSERT, UPDATE, DELETE ON tenants_plan, {", ".join(VERSIONS)}, tenants_subscription, tenants_chosenlimits
    FROM {APP_ROLE};
"""
# Who had 1 had it because nobody had said anything else. As the operator, whom the wall lets see all.
NOBODYS_WEIGHT = f"""
SET LOCAL ROLE {OPERATOR_ROLE};
UPDATE tenants_tenant SET weight = NULL WHERE weight = 1;
RESET ROLE;
"""
WEIGHT_BEFORE = NOBODYS_WEIGHT.replace("NULL WHERE weight = 1", "1 WHERE weight IS NULL")


class Migration(migrations.Migration):
    dependencies = [("tenants", "0013_plans")]

    operations = [
        protect("tenants_subscription"),
        protect("tenants_tenantprice"),
        migrations.RunSQL(CHOSEN, "DROP VIEW tenants_chosenlimits;"),
        migrations.RunSQL(TERMS, "DROP FUNCTION maas_terms_of(uuid);"),
        migrations.RunSQL(NOW, BEFORE),
        migrations.RunSQL(
            KEEP,
            "".join(f"DROP TRIGGER keep_begun ON {table};" for table in (*VERSIONS, "tenants_subscription"))
            + "DROP TRIGGER keep_sold ON tenants_plan; DROP FUNCTION maas_keep_plan(); DROP FUNCTION maas_keep_begun();",
        ),
        migrations.RunSQL(OPERATORS, migrations.RunSQL.noop),
        migrations.RunSQL(NOBODYS_WEIGHT, WEIGHT_BEFORE),
        migrations.CreateModel(
            name='ChosenLimits',
            fields=[
                ('requests_per_minute', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='requests a minute')),
                ('tokens_per_minute', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='tokens a minute')),
                ('pages_per_minute', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='pages a minute')),
                ('calls_at_once', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000)], verbose_name='calls at once')),
                ('unfinished_jobs', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='unfinished jobs')),
                ('unfinished_pages', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='unfinished pages')),
                ('pages_at_once', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='pages at once')),
                ('weight', models.PositiveSmallIntegerField(blank=True, help_text="Its part of the workers while others wait too: with 3, three pages for each one of who has 1. Empty: the plan's, or else 1.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)])),
                ('keep_documents_days', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: for ever.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(36500)], verbose_name='days documents are kept')),
                ('keep_results_days', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: for ever.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(36500)], verbose_name='days results are kept')),
                ('keep_events_days', models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: for ever.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(36500)], verbose_name='days events are kept')),
                ('tenant', models.OneToOneField(db_column='id', on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='chosen_limits', serialize=False, to='tenants.tenant')),
                ('plan', models.ForeignKey(null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tenants.plan')),
            ],
            options={
                'db_table': 'tenants_chosenlimits',
                'managed': False,
            },
        ),
    ]
