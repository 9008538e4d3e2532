"""Invoices that stay as they were issued, what was paid of them, and what providers told."""

import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE, protect, refer_within_tenant)


# Numbered means issued: what stands on it stays, and only what becomes of it moves.
KEEP = f"""
CREATE FUNCTION maas_keep_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    moving CONSTANT text[] := ARRAY['paid_micros', 'credited_micros', 'written_off_micros', 'status', 'paid_at', 'told_at'];
BEGIN
    IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - moving = to_jsonb(OLD) - moving THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what was billed stays as it is: no % of %; write a credit note', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE FUNCTION maas_keep_billed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what was billed stays as it is: no % of %; write a credit note', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE FUNCTION maas_add_up_invoice() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
DECLARE
    found uuid := CASE TG_TABLE_NAME WHEN 'tenants_invoice' THEN to_jsonb(NEW)->>'id' ELSE to_jsonb(NEW)->>'invoice_id' END;
BEGIN
    IF EXISTS (
        SELECT FROM tenants_invoice i
        LEFT JOIN LATERAL (
            SELECT count(*) AS many, coalesce(sum(l.amount_micros), 0) AS micros
            FROM tenants_invoiceline l WHERE l.invoice_id = i.id
        ) sums ON true
        WHERE i.id = found AND (sums.many <> i.lines_count OR sums.micros <> i.net_micros)
    ) THEN
        RAISE EXCEPTION 'the lines of invoice % are not those that were billed', found
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON tenants_invoice
    FOR EACH ROW EXECUTE FUNCTION maas_keep_invoices();
CREATE TRIGGER keep_all BEFORE TRUNCATE ON tenants_invoice
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_billed();
CREATE TRIGGER keep BEFORE UPDATE OR DELETE OR TRUNCATE ON tenants_invoiceline
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_billed();
CREATE CONSTRAINT TRIGGER adds_up AFTER INSERT ON tenants_invoice DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION maas_add_up_invoice();
CREATE CONSTRAINT TRIGGER adds_up AFTER INSERT ON tenants_invoiceline DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION maas_add_up_invoice();
-- Operators bill; whoever works for a tenant reads.
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON
    tenants_invoice, tenants_invoiceline, tenants_closedmonth, tenants_seller, tenants_numberseries,
    tenants_payment, tenants_refund, tenants_providercustomer, tenants_providerevent FROM {APP_ROLE};
REVOKE SELECT ON tenants_numberseries, tenants_providerevent FROM {APP_ROLE};
REVOKE DELETE, TRUNCATE ON
    tenants_invoice, tenants_invoiceline, tenants_numberseries, tenants_payment, tenants_refund FROM {OPERATOR_ROLE};
"""
LET_GO = """
DROP TRIGGER keep ON tenants_invoice;
DROP TRIGGER keep_all ON tenants_invoice;
DROP TRIGGER keep ON tenants_invoiceline;
DROP TRIGGER adds_up ON tenants_invoice;
DROP TRIGGER adds_up ON tenants_invoiceline;
DROP FUNCTION maas_keep_invoices();
DROP FUNCTION maas_keep_billed();
DROP FUNCTION maas_add_up_invoice();
"""
TABLES = (
    "billingdetails", "invoice", "invoiceline", "closedmonth", "payment", "refund", "providercustomer",
)


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0020_days_to_settle'),
    ]

    operations = [
        migrations.CreateModel(
            name='BillingDetails',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(help_text='Of the business or person that pays.', max_length=200)),
                ('address', models.TextField(blank=True, max_length=500)),
                ('country', models.CharField(blank=True, max_length=2, validators=[django.core.validators.RegexValidator('^[A-Z]{2}$', 'Two capital letters, for example DE.')])),
                ('tax_id', models.CharField(blank=True, max_length=50, verbose_name='tax id')),
                ('email', models.EmailField(blank=True, help_text='Invoices are told to it, beside owners and billing members.', max_length=254)),
                ('reference', models.CharField(blank=True, help_text="Printed on each invoice, such as an order's number.", max_length=100)),
                ('tax', models.CharField(choices=[('standard', "as the seller's rate says"), ('reverse_charge', 'reverse charge: the customer owes it'), ('exempt', 'exempt')], default='standard', max_length=20)),
                ('tax_rate_bp', models.PositiveSmallIntegerField(blank=True, help_text="Empty: the seller's.", null=True, validators=[django.core.validators.MaxValueValidator(10000)], verbose_name='tax rate')),
                ('changed_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name_plural': 'billing details',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ClosedMonth',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('month', models.DateField()),
                ('records', models.BigIntegerField(default=0, help_text='Of usage, when it was last looked at.')),
                ('closed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Invoice',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('invoice', 'Invoice'), ('credit_note', 'Credit Note')], default='invoice', max_length=12)),
                ('series', models.CharField(max_length=20)),
                ('sequence', models.PositiveIntegerField()),
                ('number', models.CharField(max_length=40, unique=True)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('currency', models.CharField(max_length=3)),
                ('month', models.DateField(help_text='The first day of the month that is billed.')),
                ('period_start', models.DateTimeField()),
                ('period_end', models.DateTimeField()),
                ('issued_on', models.DateField()),
                ('due_on', models.DateField()),
                ('seller', models.JSONField()),
                ('buyer', models.JSONField()),
                ('lines_count', models.PositiveIntegerField()),
                ('net_micros', models.BigIntegerField()),
                ('tax_name', models.CharField(max_length=20)),
                ('tax_rate_bp', models.PositiveSmallIntegerField(default=0)),
                ('tax_note', models.CharField(blank=True, max_length=200)),
                ('tax_micros', models.BigIntegerField()),
                ('total_micros', models.BigIntegerField()),
                ('due_micros', models.BigIntegerField(help_text='What the balance did not pay when it was issued.')),
                ('paid_micros', models.BigIntegerField(default=0)),
                ('credited_micros', models.BigIntegerField(default=0, help_text='Of what was due, by credit notes.')),
                ('written_off_micros', models.BigIntegerField(default=0)),
                ('status', models.CharField(choices=[('open', 'Open'), ('paid', 'Paid'), ('written_off', 'written off')], default='open', max_length=12)),
                ('paid_at', models.DateTimeField(null=True)),
                ('made_by', models.CharField(blank=True, max_length=254)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('told_at', models.DateTimeField(help_text='When it was mailed.', null=True)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='InvoiceLine',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('fee', 'Fee'), ('usage', 'Usage'), ('uncollected', 'not collected'), ('correction', 'Correction')], max_length=12)),
                ('month', models.DateField(help_text='The first day of the month that it is of.')),
                ('late', models.BooleanField(default=False, help_text='Of a month that was billed before.')),
                ('text', models.CharField(max_length=320)),
                ('plan_id', models.UUIDField(help_text='Of a fee.', null=True)),
                ('model', models.CharField(blank=True, max_length=100)),
                ('cached', models.BooleanField(default=False)),
                ('price', models.JSONField(null=True)),
                ('quantity', models.BigIntegerField(default=0)),
                ('included', models.BigIntegerField(default=0)),
                ('exact_micros', models.BigIntegerField()),
                ('amount_micros', models.BigIntegerField(help_text='In the smallest unit that is paid.')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='NumberSeries',
            fields=[
                ('name', models.CharField(help_text='Such as INV-2026.', max_length=20, primary_key=True, serialize=False)),
                ('last', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('provider', models.CharField(max_length=20)),
                ('purpose', models.CharField(choices=[('invoice', 'Invoice'), ('top_up', 'credit')], max_length=10)),
                ('currency', models.CharField(max_length=3)),
                ('amount_micros', models.PositiveBigIntegerField()),
                ('refunded_micros', models.PositiveBigIntegerField(default=0)),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('canceled', 'Canceled')], default='pending', max_length=10)),
                ('reference', models.CharField(help_text='What a payer writes on a transfer, so that it is found again.', max_length=40)),
                ('provider_id', models.CharField(blank=True, help_text='As the provider names it.', max_length=200)),
                ('failure', models.CharField(blank=True, max_length=200)),
                ('made_by', models.CharField(blank=True, max_length=254)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('succeeded_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ProviderCustomer',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('provider', models.CharField(max_length=20)),
                ('customer_id', models.CharField(max_length=200)),
                ('method_id', models.CharField(blank=True, max_length=200)),
                ('method_text', models.CharField(blank=True, help_text='Such as visa •••• 4242, 12/30.', max_length=100)),
                ('pays_invoices', models.BooleanField(default=False, help_text='Invoices are taken from it when they are issued.')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ProviderEvent',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('provider', models.CharField(max_length=20)),
                ('event_id', models.CharField(max_length=200)),
                ('kind', models.CharField(max_length=100)),
                ('received_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('handled_at', models.DateTimeField(null=True)),
                ('outcome', models.CharField(blank=True, max_length=320)),
            ],
        ),
        migrations.CreateModel(
            name='Refund',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('amount_micros', models.PositiveBigIntegerField()),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('succeeded', 'Succeeded'), ('failed', 'Failed'), ('canceled', 'Canceled')], default='pending', max_length=10)),
                ('provider_id', models.CharField(blank=True, max_length=200)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('made_by', models.CharField(blank=True, max_length=254)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Seller',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('only', models.BooleanField(default=True, editable=False, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('address', models.TextField(help_text='As it is printed, line by line.', max_length=500)),
                ('country', models.CharField(max_length=2, validators=[django.core.validators.RegexValidator('^[A-Z]{2}$', 'Two capital letters, for example DE.')])),
                ('tax_id', models.CharField(blank=True, max_length=50, verbose_name='tax id')),
                ('email', models.EmailField(blank=True, help_text='For questions about invoices.', max_length=254)),
                ('prefix', models.CharField(default='INV', help_text='Numbers begin with it: INV-2026-000001.', max_length=12, validators=[django.core.validators.RegexValidator('^[A-Z0-9][A-Z0-9-]{0,11}$', 'Capital letters, digits and hyphens, 12 at most.')])),
                ('tax_name', models.CharField(default='VAT', max_length=20)),
                ('tax_rate_bp', models.PositiveSmallIntegerField(default=0, help_text='In hundredths of a percent: 1900 is 19 %.', validators=[django.core.validators.MaxValueValidator(10000)], verbose_name='tax rate')),
                ('payment_days', models.PositiveSmallIntegerField(default=14, help_text='Days until an invoice is due.', validators=[django.core.validators.MaxValueValidator(365)])),
                ('bank_details', models.TextField(blank=True, help_text='Where transfers go, such as IBAN and BIC.', max_length=500)),
                ('footer', models.TextField(blank=True, max_length=500)),
                ('bills_from', models.DateField(help_text='The first month that is billed, by its first day.')),
            ],
            options={
                'verbose_name_plural': 'seller',
            },
        ),
        migrations.AlterField(
            model_name='ledgerentry',
            name='account',
            field=models.CharField(choices=[('credit', 'credit'), ('held', 'held'), ('revenue', 'revenue'), ('grants', 'grants'), ('uncollected', 'uncollected'), ('receivable', 'receivable'), ('payments', 'payments'), ('tax', 'tax')], max_length=12),
        ),
        migrations.AlterField(
            model_name='ledgertransaction',
            name='kind',
            field=models.CharField(choices=[('hold', 'hold'), ('charge', 'charge'), ('release', 'release'), ('grant', 'grant'), ('bill', 'bill'), ('correction', 'correction'), ('payment', 'payment'), ('refund', 'refund'), ('write_off', 'write_off')], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='ledgertransaction',
            constraint=models.UniqueConstraint(condition=models.Q(('kind__in', ('bill', 'correction', 'payment', 'refund', 'write_off'))), fields=('tenant', 'source_kind', 'source_id', 'kind'), name='tenants_ledger_one_each'),
        ),
        migrations.AddField(
            model_name='billingdetails',
            name='tenant',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddField(
            model_name='closedmonth',
            name='tenant',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddField(
            model_name='invoice',
            name='corrects',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='credit_notes', to='tenants.invoice'),
        ),
        migrations.AddField(
            model_name='invoice',
            name='tenant',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddField(
            model_name='invoiceline',
            name='invoice',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='tenants.invoice'),
        ),
        migrations.AddField(
            model_name='invoiceline',
            name='tenant',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddField(
            model_name='payment',
            name='invoice',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='tenants.invoice'),
        ),
        migrations.AddField(
            model_name='payment',
            name='tenant',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddField(
            model_name='providercustomer',
            name='tenant',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddConstraint(
            model_name='providerevent',
            constraint=models.UniqueConstraint(fields=('provider', 'event_id'), name='tenants_providerevent_once'),
        ),
        migrations.AddField(
            model_name='refund',
            name='payment',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='tenants.payment'),
        ),
        migrations.AddField(
            model_name='refund',
            name='tenant',
            field=models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddConstraint(
            model_name='seller',
            constraint=models.CheckConstraint(condition=models.Q(('only', True)), name='tenants_seller_one'),
        ),
        migrations.AddConstraint(
            model_name='billingdetails',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_billingdetails_tenant'),
        ),
        migrations.AddConstraint(
            model_name='billingdetails',
            constraint=models.UniqueConstraint(fields=('tenant',), name='tenants_billingdetails_once'),
        ),
        migrations.AddConstraint(
            model_name='closedmonth',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_closedmonth_tenant'),
        ),
        migrations.AddConstraint(
            model_name='closedmonth',
            constraint=models.UniqueConstraint(fields=('tenant', 'month'), name='tenants_closedmonth_once'),
        ),
        migrations.AddIndex(
            model_name='invoice',
            index=models.Index(fields=['tenant', '-issued_on', '-id'], name='tenants_invoice_newest'),
        ),
        migrations.AddConstraint(
            model_name='invoice',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_invoice_tenant'),
        ),
        migrations.AddConstraint(
            model_name='invoice',
            constraint=models.UniqueConstraint(fields=('series', 'sequence'), name='tenants_invoice_numbered_once'),
        ),
        migrations.AddConstraint(
            model_name='invoice',
            constraint=models.CheckConstraint(condition=models.Q(('total_micros', django.db.models.expressions.CombinedExpression(models.F('net_micros'), '+', models.F('tax_micros')))), name='tenants_invoice_adds_up'),
        ),
        migrations.AddConstraint(
            model_name='invoice',
            constraint=models.CheckConstraint(condition=models.Q(('due_micros__gte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('paid_micros'), '+', models.F('credited_micros')), '+', models.F('written_off_micros'))), ('due_micros__lte', models.F('total_micros'))), name='tenants_invoice_not_overpaid'),
        ),
        migrations.AddIndex(
            model_name='invoiceline',
            index=models.Index(fields=['tenant', 'month'], name='tenants_invoiceline_by_month'),
        ),
        migrations.AddConstraint(
            model_name='invoiceline',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_invoiceline_tenant'),
        ),
        migrations.AddConstraint(
            model_name='invoiceline',
            constraint=models.UniqueConstraint(fields=('invoice', 'position'), name='tenants_invoiceline_once'),
        ),
        migrations.AddIndex(
            model_name='payment',
            index=models.Index(fields=['tenant', '-created_at'], name='tenants_payment_newest'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_payment_tenant'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.UniqueConstraint(condition=models.Q(('provider_id', ''), _negated=True), fields=('provider', 'provider_id'), name='tenants_payment_of_provider_once'),
        ),
        migrations.AddConstraint(
            model_name='payment',
            constraint=models.CheckConstraint(condition=models.Q(('refunded_micros__lte', models.F('amount_micros'))), name='tenants_payment_not_refunded_twice'),
        ),
        migrations.AddConstraint(
            model_name='providercustomer',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_providercustomer_tenant'),
        ),
        migrations.AddConstraint(
            model_name='providercustomer',
            constraint=models.UniqueConstraint(fields=('tenant', 'provider'), name='tenants_providercustomer_once'),
        ),
        migrations.AddConstraint(
            model_name='providercustomer',
            constraint=models.UniqueConstraint(fields=('provider', 'customer_id'), name='tenants_providercustomer_one_tenant'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_refund_tenant'),
        ),
        migrations.AddConstraint(
            model_name='refund',
            constraint=models.UniqueConstraint(condition=models.Q(('provider_id', ''), _negated=True), fields=('payment', 'provider_id'), name='tenants_refund_of_provider_once'),
        ),
        *(protect(f"tenants_{table}") for table in TABLES),
        refer_within_tenant("tenants_invoice", "corrects_id", "tenants_invoice"),
        refer_within_tenant("tenants_invoiceline", "invoice_id", "tenants_invoice"),
        refer_within_tenant("tenants_payment", "invoice_id", "tenants_invoice"),
        refer_within_tenant("tenants_refund", "payment_id", "tenants_payment"),
        migrations.RunSQL(KEEP, LET_GO),
    ]
