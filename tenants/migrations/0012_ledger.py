"""Money: wallets, a ledger that is only ever added to and always balances, budgets, and what a check has found."""

import django.db.models.deletion
import django.db.models.functions.datetime
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE, protect, refer_within_tenant)

# At the transaction's end, so that entries may be written one by one; after it nothing can be added to a balance of 0.
BALANCE = """
CREATE FUNCTION maas_balance_ledger() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tenants_ledgerentry WHERE transaction_id = NEW.transaction_id
        GROUP BY currency HAVING sum(amount_micros) <> 0
    ) THEN
        RAISE EXCEPTION 'the entries of transaction % do not come to 0', NEW.transaction_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER balance AFTER INSERT ON tenants_ledgerentry DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION maas_balance_ledger();
"""
UNBALANCED = "DROP TRIGGER balance ON tenants_ledgerentry; DROP FUNCTION maas_balance_ledger();"

# The roles have no right to it, and whoever has is stopped by the triggers.
KEEP = f"""
CREATE FUNCTION maas_keep_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is only ever added to: no % of %', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER keep_entries BEFORE UPDATE OR DELETE OR TRUNCATE ON tenants_ledgerentry
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_ledger();
CREATE TRIGGER keep_transactions BEFORE UPDATE OR DELETE OR TRUNCATE ON tenants_ledgertransaction
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_ledger();
REVOKE UPDATE, DELETE, TRUNCATE ON tenants_ledgerentry, tenants_ledgertransaction FROM {APP_ROLE}, {OPERATOR_ROLE};
REVOKE DELETE, TRUNCATE ON tenants_wallet FROM {APP_ROLE}, {OPERATOR_ROLE};
-- Terms are operators'; whoever works for a tenant moves money within them.
REVOKE UPDATE ON tenants_wallet FROM {APP_ROLE};
GRANT UPDATE (available_micros, held_micros) ON tenants_wallet TO {APP_ROLE};
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON tenants_budget FROM {APP_ROLE};
GRANT UPDATE (month, used_micros, held_micros) ON tenants_budget TO {APP_ROLE};
-- What a budget that is set asks for, while everybody waits for the wallet.
CREATE INDEX tenants_ledger_open ON tenants_ledgertransaction (tenant_id, currency) WHERE kind = 'hold';
CREATE INDEX tenants_ledger_by_day ON tenants_ledgertransaction (tenant_id, currency, day) WHERE kind = 'charge';
-- Rows that are written again and again stay on their own page.
ALTER TABLE tenants_wallet SET (fillfactor = 50);
"""
LET_GO = """
DROP INDEX tenants_ledger_open;
DROP INDEX tenants_ledger_by_day;
DROP TRIGGER keep_entries ON tenants_ledgerentry;
DROP TRIGGER keep_transactions ON tenants_ledgertransaction;
DROP FUNCTION maas_keep_ledger();
"""
TABLES = ("wallet", "ledgertransaction", "ledgerentry", "budget", "budgetalert", "ledgerdifference")


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0011_confirmed_addresses'),
    ]

    operations = [
        migrations.CreateModel(
            name='Budget',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('api_key_id', models.UUIDField(blank=True, editable=False, help_text='None for the whole tenant.', null=True)),
                ('currency', models.CharField(max_length=3)),
                ('monthly_micros', models.PositiveBigIntegerField()),
                ('month', models.DateField(editable=False, help_text='Its first day: the month that `used_micros` is of.')),
                ('used_micros', models.BigIntegerField(default=0, editable=False)),
                ('held_micros', models.BigIntegerField(default=0, editable=False)),
                ('set_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='BudgetAlert',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('month', models.DateField()),
                ('percent', models.PositiveSmallIntegerField()),
                ('used_micros', models.BigIntegerField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('told_at', models.DateTimeField(help_text='When it was mailed.', null=True)),
                ('budget', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='alerts', to='tenants.budget')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='LedgerDifference',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('compared', models.CharField(max_length=20)),
                ('currency', models.CharField(max_length=3)),
                ('subject', models.CharField(help_text='The job, wallet or day that it is about.', max_length=80)),
                ('expected_micros', models.BigIntegerField()),
                ('found_micros', models.BigIntegerField()),
                ('found_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('gone_at', models.DateTimeField(help_text='Since when it is no longer so.', null=True)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='LedgerTransaction',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('hold', 'hold'), ('charge', 'charge'), ('release', 'release'), ('grant', 'grant')], max_length=10)),
                ('source_kind', models.CharField(max_length=20)),
                ('source_id', models.UUIDField()),
                ('currency', models.CharField(max_length=3)),
                ('day', models.DateField(help_text='To which it counts, in UTC.')),
                ('api_key_id', models.UUIDField(null=True)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('made_by', models.CharField(blank=True, help_text='The operator who did it.', max_length=254)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('account', models.CharField(choices=[('credit', 'credit'), ('held', 'held'), ('revenue', 'revenue'), ('grants', 'grants'), ('uncollected', 'uncollected'), ('receivable', 'receivable'), ('payments', 'payments')], max_length=12)),
                ('amount_micros', models.BigIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('transaction', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='tenants.ledgertransaction')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Wallet',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('currency', models.CharField(max_length=3)),
                ('kind', models.CharField(choices=[('prepaid', 'prepaid: work is refused when nothing is left'), ('invoiced', 'invoiced: what is used is billed later')], default='invoiced', max_length=8)),
                ('credit_line_micros', models.PositiveBigIntegerField(default=0, help_text='How far below zero a prepaid balance may go, in millionths.')),
                ('available_micros', models.BigIntegerField(default=0, editable=False)),
                ('held_micros', models.BigIntegerField(default=0, editable=False)),
                ('opened_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_budget_tenant'),
        ),
        migrations.AddConstraint(
            model_name='budget',
            constraint=models.UniqueConstraint(fields=('tenant', 'currency', 'api_key_id'), name='tenants_budget_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='budgetalert',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_budgetalert_tenant'),
        ),
        migrations.AddConstraint(
            model_name='budgetalert',
            constraint=models.UniqueConstraint(fields=('budget', 'month', 'percent'), name='tenants_budgetalert_once'),
        ),
        migrations.AddConstraint(
            model_name='ledgerdifference',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_ledgerdifference_tenant'),
        ),
        migrations.AddConstraint(
            model_name='ledgerdifference',
            constraint=models.UniqueConstraint(condition=models.Q(('gone_at', None)), fields=('tenant', 'compared', 'currency', 'subject'), name='tenants_ledgerdifference_once'),
        ),
        migrations.AddConstraint(
            model_name='ledgertransaction',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_ledgertransaction_tenant'),
        ),
        migrations.AddConstraint(
            model_name='ledgertransaction',
            constraint=models.UniqueConstraint(condition=models.Q(('kind__in', ['hold', 'grant'])), fields=('tenant', 'source_kind', 'source_id'), name='tenants_ledger_one_hold'),
        ),
        migrations.AddConstraint(
            model_name='ledgertransaction',
            constraint=models.UniqueConstraint(condition=models.Q(('kind__in', ['charge', 'release'])), fields=('tenant', 'source_kind', 'source_id'), name='tenants_ledger_one_settlement'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_ledgerentry_tenant'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.UniqueConstraint(fields=('transaction', 'account'), name='tenants_ledgerentry_once'),
        ),
        migrations.AddConstraint(
            model_name='wallet',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_wallet_tenant'),
        ),
        migrations.AddConstraint(
            model_name='wallet',
            constraint=models.UniqueConstraint(fields=('tenant', 'currency'), name='tenants_wallet_once'),
        ),
        migrations.AddConstraint(
            model_name='wallet',
            constraint=models.CheckConstraint(condition=models.Q(('held_micros__gte', 0)), name='tenants_wallet_holds_no_debt'),
        ),
        *(protect(f"tenants_{table}") for table in TABLES),
        refer_within_tenant("tenants_ledgerentry", "transaction_id", "tenants_ledgertransaction"),
        refer_within_tenant("tenants_budgetalert", "budget_id", "tenants_budget", "CASCADE"),
        migrations.RunSQL(BALANCE, UNBALANCED),
        migrations.RunSQL(KEEP, LET_GO),
    ]
