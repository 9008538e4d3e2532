"""Included units that a prepaid account uses up at once: what was granted, is set aside, and was used."""

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.row_security import (APP_ROLE, OPERATOR_ROLE, protect, refer_within_tenant)

KEEP = f"""
REVOKE UPDATE, DELETE, TRUNCATE ON tenants_includeduse FROM {APP_ROLE}, {OPERATOR_ROLE};
REVOKE DELETE, TRUNCATE ON tenants_includedpool FROM {APP_ROLE}, {OPERATOR_ROLE};
REVOKE UPDATE, TRUNCATE ON tenants_includedhold FROM {APP_ROLE}, {OPERATOR_ROLE};
-- Rows that are written again and again stay on their own page.
ALTER TABLE tenants_includedpool SET (fillfactor = 50);
"""
TABLES = ("includedpool", "includedhold", "includeduse")


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0027_payment_differences_cleared'),
    ]

    operations = [
        migrations.CreateModel(
            name='IncludedPool',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('since', models.DateTimeField(help_text="The month's beginning, or when the plan began in it.")),
                ('model', models.CharField(help_text='Empty: of all models.', max_length=100)),
                ('meter', models.CharField(max_length=10)),
                ('granted', models.PositiveBigIntegerField()),
                ('used', models.PositiveBigIntegerField(default=0)),
                ('held', models.PositiveBigIntegerField(default=0)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='IncludedHold',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('source_kind', models.CharField(max_length=20)),
                ('source_id', models.UUIDField()),
                ('quantity', models.PositiveBigIntegerField()),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('pool', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='holds', to='tenants.includedpool')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='IncludedUse',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('source_kind', models.CharField(max_length=20)),
                ('source_id', models.UUIDField()),
                ('month', models.DateField(help_text='In which the units were used: its first day.')),
                ('day', models.DateField(help_text='To which the settlement counts, in UTC.')),
                ('model', models.CharField(max_length=100)),
                ('cached', models.BooleanField()),
                ('price', models.JSONField()),
                ('quantity', models.PositiveBigIntegerField()),
                ('spared_micros', models.PositiveBigIntegerField(help_text='So much less was charged.')),
                ('currency', models.CharField(max_length=3)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('pool', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='uses', to='tenants.includedpool')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddConstraint(
            model_name='includedpool',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_includedpool_tenant'),
        ),
        migrations.AddConstraint(
            model_name='includedpool',
            constraint=models.UniqueConstraint(fields=('tenant', 'since', 'model', 'meter'), name='tenants_includedpool_once'),
        ),
        migrations.AddConstraint(
            model_name='includedpool',
            constraint=models.CheckConstraint(condition=models.Q(('granted__gte', django.db.models.expressions.CombinedExpression(models.F('used'), '+', models.F('held')))), name='tenants_includedpool_has_them'),
        ),
        migrations.AddConstraint(
            model_name='includedhold',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_includedhold_tenant'),
        ),
        migrations.AddConstraint(
            model_name='includedhold',
            constraint=models.UniqueConstraint(fields=('tenant', 'source_kind', 'source_id', 'pool'), name='tenants_includedhold_once'),
        ),
        migrations.AddIndex(
            model_name='includeduse',
            index=models.Index(fields=['tenant', 'month'], name='tenants_includeduse_by_month'),
        ),
        migrations.AddConstraint(
            model_name='includeduse',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_includeduse_tenant'),
        ),
        migrations.AddConstraint(
            model_name='includeduse',
            constraint=models.UniqueConstraint(fields=('tenant', 'source_kind', 'source_id', 'pool', 'month', 'model', 'cached', 'price'), name='tenants_includeduse_once'),
        ),
        *(protect(f'tenants_{table}') for table in TABLES),
        refer_within_tenant('tenants_includedhold', 'pool_id', 'tenants_includedpool'),
        refer_within_tenant('tenants_includeduse', 'pool_id', 'tenants_includedpool'),
        migrations.RunSQL(sql=KEEP, reverse_sql=migrations.RunSQL.noop),
    ]
