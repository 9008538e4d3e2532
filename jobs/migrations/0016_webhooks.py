"""Webhooks: endpoints, their secrets, messages, deliveries, and every attempt."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.row_security import (protect, refer_within_tenant)


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0015_event_places'),
        ('tenants', '0008_results_generation'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='webhook_url',
            field=models.CharField(blank=True, db_default='', default='', help_text='To be told of its end.', max_length=2000),
        ),
        migrations.CreateModel(
            name='WebhookEndpoint',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('endpoint', 'of the tenant'), ('jobs', 'named by jobs')], default='endpoint', max_length=10)),
                ('url', models.CharField(max_length=2000)),
                ('description', models.CharField(blank=True, max_length=200)),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), default=list, size=None)),
                ('state', models.CharField(choices=[('enabled', 'Enabled'), ('disabled', 'Disabled'), ('deleted', 'Deleted')], default='enabled', max_length=10)),
                ('disabled_reason', models.CharField(blank=True, choices=[('by_hand', 'disabled by hand'), ('gone', 'answered 410 Gone'), ('failing', 'failed for days')], max_length=10)),
                ('disabled_at', models.DateTimeField(null=True)),
                ('succeeded_at', models.DateTimeField(help_text='About when it last took a message.', null=True)),
                ('failing_since', models.DateTimeField(help_text='Its first failure since it last took a message.', null=True)),
                ('given_up', models.PositiveIntegerField(default=0, help_text='Deliveries that failed to the last attempt since it last took a message.')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='WebhookMessage',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('type', models.CharField(max_length=60)),
                ('body', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('job', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='jobs.job')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('url', models.CharField(blank=True, help_text="The job's own, if it named one.", max_length=2000)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='pending', max_length=10)),
                ('attempts_made', models.PositiveIntegerField(default=0)),
                ('step', models.PositiveSmallIntegerField(default=0, help_text='Attempts since it began or was replayed.')),
                ('next_attempt_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), null=True)),
                ('lease_token', models.BigIntegerField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('error_code', models.CharField(blank=True, help_text='Of the last attempt.', max_length=60)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(null=True)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('endpoint', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='jobs.webhookendpoint')),
                ('message', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='jobs.webhookmessage')),
            ],
            options={
                'verbose_name_plural': 'webhook deliveries',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='WebhookSecret',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('salt', models.BinaryField(max_length=32)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ends_at', models.DateTimeField(help_text='When a secret that was rotated out signs no more.', null=True)),
                ('endpoint', models.ForeignKey(db_constraint=False, db_index=False, help_text="None for the tenant's own, which signs what goes to addresses that jobs name.", null=True, on_delete=django.db.models.deletion.CASCADE, related_name='secrets', to='jobs.webhookendpoint')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='WebhookAttempt',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('started_at', models.DateTimeField()),
                ('took_ms', models.PositiveIntegerField()),
                ('status', models.PositiveSmallIntegerField(help_text='Of the answer; none where none came.', null=True)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('detail', models.CharField(blank=True, max_length=500)),
                ('answer', models.TextField(blank=True, help_text="The beginning of the answer's body.")),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('delivery', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='jobs.webhookdelivery')),
            ],
            options={
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_webhookattempt_tenant'), models.UniqueConstraint(fields=('delivery', 'number'), name='jobs_webhookattempt_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='webhookendpoint',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_webhookendpoint_tenant'),
        ),
        migrations.AddConstraint(
            model_name='webhookendpoint',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'jobs')), fields=('tenant', 'url'), name='jobs_webhookendpoint_of_jobs'),
        ),
        migrations.AddIndex(
            model_name='webhookmessage',
            index=models.Index(fields=['created_at'], name='jobs_webhookmessage_age'),
        ),
        migrations.AddIndex(
            model_name='webhookmessage',
            index=models.Index(fields=['job'], name='jobs_webhookmessage_of_job'),
        ),
        migrations.AddConstraint(
            model_name='webhookmessage',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_webhookmessage_tenant'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['endpoint', 'next_attempt_at'], name='jobs_webhookdelivery_due'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('lease_until__isnull', False), ('state', 'pending')), fields=['lease_until'], name='jobs_webhookdelivery_held'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['tenant', 'endpoint', '-id'], name='jobs_webhookdelivery_list'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_webhookdelivery_tenant'),
        ),
        migrations.AddConstraint(
            model_name='webhookdelivery',
            constraint=models.UniqueConstraint(fields=('message', 'endpoint'), name='jobs_webhookdelivery_once'),
        ),
        migrations.AddConstraint(
            model_name='webhooksecret',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_webhooksecret_tenant'),
        ),
        migrations.AddConstraint(
            model_name='webhooksecret',
            constraint=models.UniqueConstraint(condition=models.Q(('ends_at', None)), fields=('tenant', 'endpoint'), name='jobs_webhooksecret_one_lasts', nulls_distinct=False),
        ),
        *(
            protect(table)
            for table in (
                "jobs_webhookendpoint",
                "jobs_webhooksecret",
                "jobs_webhookmessage",
                "jobs_webhookdelivery",
                "jobs_webhookattempt",
            )
        ),
        refer_within_tenant("jobs_webhooksecret", "endpoint_id", "jobs_webhookendpoint", "CASCADE"),
        refer_within_tenant("jobs_webhookmessage", "job_id", "jobs_job", "CASCADE"),
        refer_within_tenant("jobs_webhookdelivery", "message_id", "jobs_webhookmessage", "CASCADE"),
        refer_within_tenant("jobs_webhookdelivery", "endpoint_id", "jobs_webhookendpoint", "CASCADE"),
        refer_within_tenant("jobs_webhookattempt", "delivery_id", "jobs_webhookdelivery", "CASCADE"),
    ]
