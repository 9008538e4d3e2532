"""Plans, what they cost and include, and since when a tenant has which. Limits that a tenant has not set are its plan's."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import tenants.core.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0012_ledger'),
    ]

    operations = [
        migrations.AlterField(
            model_name='tenant',
            name='calls_at_once',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000)], verbose_name='calls at once'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='keep_documents_days',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: for ever.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(36500)], verbose_name='days documents are kept'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='keep_events_days',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: for ever.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(36500)], verbose_name='days events are kept'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='keep_results_days',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: for ever.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(36500)], verbose_name='days results are kept'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='pages_at_once',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='pages at once'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='pages_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='pages a minute'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='requests_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='requests a minute'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='tokens_per_minute',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='tokens a minute'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='unfinished_jobs',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='unfinished jobs'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='unfinished_pages',
            field=models.PositiveIntegerField(blank=True, help_text="Empty: the plan's, or else the installation's. 0: unlimited.", null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100000000)], verbose_name='unfinished pages'),
        ),
        migrations.AlterField(
            model_name='tenant',
            name='weight',
            field=models.PositiveSmallIntegerField(blank=True, help_text="Its part of the workers while others wait too: with 3, three pages for each one of who has 1. Empty: the plan's, or else 1.", null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)]),
        ),
        migrations.CreateModel(
            name='Plan',
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
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('code', models.SlugField(help_text='As programs name it. It stays.', unique=True)),
                ('name', models.CharField(max_length=100)),
                ('currency', models.CharField(default='EUR', max_length=3, validators=[django.core.validators.RegexValidator('^[A-Z]{3}$', 'Three capital letters, for example EUR.')])),
                ('monthly_fee_micros', models.PositiveBigIntegerField(default=0, verbose_name='monthly fee')),
                ('trial_days', models.PositiveSmallIntegerField(default=0, help_text='Of the first subscription: no fee until they are over.', verbose_name='days of trial')),
                ('trial_credit_micros', models.PositiveBigIntegerField(default=0, help_text='Given once, with the first subscription.', verbose_name='trial credit')),
                ('is_default', models.BooleanField(default=False, help_text='Whoever is made gets it.', verbose_name='for new tenants')),
                ('archived', models.BooleanField(default=False, help_text='Who has it keeps it; nobody else gets it any more.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('is_default',), name='tenants_plan_one_default', violation_error_message='Another plan is for new tenants. Take that away there first.'), models.CheckConstraint(condition=models.Q(('archived', True), ('is_default', True), _negated=True), name='tenants_plan_default_is_sold', violation_error_message='An archived plan cannot be for new tenants.')],
            },
        ),
        migrations.CreateModel(
            name='PlanIncluded',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('model', models.CharField(blank=True, help_text='Its name, such as ocr; empty: all.', max_length=100)),
                ('meter', models.CharField(choices=[('page', 'page'), ('token', 'token'), ('call', 'call')], max_length=10)),
                ('holds_from', models.DateTimeField(blank=True, help_text='UTC; empty: at once.')),
                ('quantity', models.PositiveBigIntegerField(help_text='Units a month; 0: none from then on.')),
                ('plan', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='included', to='tenants.plan')),
            ],
            options={
                'ordering': ['model', 'meter', 'holds_from'],
                'constraints': [models.UniqueConstraint(fields=('plan', 'model', 'meter', 'holds_from'), name='tenants_planincluded_once')],
            },
        ),
        migrations.CreateModel(
            name='PlanPrice',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('model', models.CharField(blank=True, help_text='Its name, such as ocr; empty: all.', max_length=100)),
                ('meter', models.CharField(choices=[('page', 'page'), ('token', 'token'), ('call', 'call')], max_length=10)),
                ('holds_from', models.DateTimeField(blank=True, help_text='UTC; empty: at once.')),
                ('amount_micros', models.PositiveBigIntegerField(blank=True, help_text='Empty: from then on there is no price here, and what stands behind it holds.', null=True, verbose_name='amount')),
                ('per', models.PositiveIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)], verbose_name='per units')),
                ('cached_micros', models.PositiveBigIntegerField(blank=True, help_text='Empty: the same.', null=True, verbose_name='amount for known results')),
                ('plan', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='prices', to='tenants.plan')),
            ],
            options={
                'ordering': ['model', 'meter', 'holds_from'],
                'constraints': [models.UniqueConstraint(fields=('plan', 'model', 'meter', 'holds_from'), name='tenants_planprice_once')],
            },
        ),
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('starts_at', models.DateTimeField()),
                ('trial_ends_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('plan', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.plan')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_subscription_tenant'), models.UniqueConstraint(fields=('tenant', 'starts_at'), name='tenants_subscription_once')],
            },
        ),
        migrations.CreateModel(
            name='TenantPrice',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('model', models.CharField(blank=True, help_text='Its name, such as ocr; empty: all.', max_length=100)),
                ('meter', models.CharField(choices=[('page', 'page'), ('token', 'token'), ('call', 'call')], max_length=10)),
                ('holds_from', models.DateTimeField(blank=True, help_text='UTC; empty: at once.')),
                ('amount_micros', models.PositiveBigIntegerField(blank=True, help_text='Empty: from then on there is no price here, and what stands behind it holds.', null=True, verbose_name='amount')),
                ('per', models.PositiveIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)], verbose_name='per units')),
                ('cached_micros', models.PositiveBigIntegerField(blank=True, help_text='Empty: the same.', null=True, verbose_name='amount for known results')),
                ('currency', models.CharField(default='EUR', max_length=3, validators=[django.core.validators.RegexValidator('^[A-Z]{3}$', 'Three capital letters, for example EUR.')])),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'ordering': ['model', 'meter', 'holds_from'],
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'id'), name='tenants_tenantprice_tenant'), models.UniqueConstraint(fields=('tenant', 'model', 'meter', 'holds_from'), name='tenants_tenantprice_once')],
            },
        ),
    ]
