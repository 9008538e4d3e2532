"""Files that tenants keep for batches, batches, and the pieces of work they are done in."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.row_security import (protect, refer_within_tenant)


class Migration(migrations.Migration):

    dependencies = [
        ('inference', '0001_initial'),
        ('jobs', '0006_operators_lists'),
        ('tenants', '0002_walls'),
    ]

    operations = [
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('endpoint', models.CharField(max_length=200)),
                ('price', models.JSONField(help_text='As it was when the lines had been checked.', null=True)),
                ('status', models.CharField(choices=[('validating', 'validating'), ('failed', 'failed'), ('in_progress', 'in_progress'), ('finalizing', 'finalizing'), ('completed', 'completed'), ('expired', 'expired'), ('cancelling', 'cancelling'), ('cancelled', 'cancelled')], default='validating', max_length=20)),
                ('ending', models.CharField(blank=True, help_text='How it will end once its files are made: cancelled or expired.', max_length=20)),
                ('input_file_id', models.UUIDField()),
                ('output_file_id', models.UUIDField(null=True)),
                ('error_file_id', models.UUIDField(null=True)),
                ('output_lives_s', models.PositiveIntegerField(null=True)),
                ('metadata', models.JSONField(null=True)),
                ('errors', models.JSONField(null=True)),
                ('lines_total', models.PositiveIntegerField(default=0)),
                ('lines_completed', models.PositiveIntegerField(default=0)),
                ('lines_failed', models.PositiveIntegerField(default=0)),
                ('tokens', models.PositiveBigIntegerField(default=0)),
                ('cost_micros', models.BigIntegerField(default=0)),
                ('livemode', models.BooleanField(default=True)),
                ('api_key_id', models.UUIDField(null=True)),
                ('request_id', models.CharField(blank=True, max_length=64)),
                ('served_at', models.DateTimeField(help_text='When work on it was last taken up, for tenants to take turns.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField()),
                ('in_progress_at', models.DateTimeField(null=True)),
                ('cancelling_at', models.DateTimeField(null=True)),
                ('finalizing_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('model_version', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='inference.modelversion')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='BatchTask',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(help_text='In the order of lines.')),
                ('kind', models.CharField(choices=[('validate', 'validate'), ('run', 'run'), ('merge', 'merge')], max_length=10)),
                ('state', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('done', 'done'), ('dropped', 'dropped')], default='queued', max_length=10)),
                ('input', models.CharField(blank=True, max_length=300)),
                ('output', models.CharField(blank=True, max_length=300)),
                ('errors', models.CharField(blank=True, max_length=300)),
                ('lines', models.PositiveIntegerField(default=0)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('run_after', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('lease_token', models.BigIntegerField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('worker', models.CharField(blank=True, max_length=100)),
                ('at_line', models.PositiveIntegerField(help_text='The one that runs alone, where workers have died with these lines.', null=True)),
                ('deadly_lines', models.JSONField(default=list, help_text='Those that workers died with.')),
                ('batch', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='jobs.batch')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='StoredFile',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=255)),
                ('purpose', models.CharField(choices=[('batch', 'Batch'), ('batch_output', 'Batch Output')], max_length=20)),
                ('size_bytes', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('file', models.CharField(editable=False, max_length=300)),
                ('livemode', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddIndex(
            model_name='batch',
            index=models.Index(condition=models.Q(('status__in', ('validating', 'in_progress', 'cancelling', 'finalizing'))), fields=['id'], name='jobs_batch_unfinished'),
        ),
        migrations.AddIndex(
            model_name='batch',
            index=models.Index(fields=['input_file_id'], name='jobs_batch_of_file'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_batch_tenant'),
        ),
        migrations.AddIndex(
            model_name='batchtask',
            index=models.Index(condition=models.Q(('state', 'queued')), fields=['batch', 'number'], name='jobs_batchtask_queue'),
        ),
        migrations.AddIndex(
            model_name='batchtask',
            index=models.Index(condition=models.Q(('state', 'running')), fields=['batch', 'lease_until'], name='jobs_batchtask_leases'),
        ),
        migrations.AddConstraint(
            model_name='batchtask',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_batchtask_tenant'),
        ),
        migrations.AddConstraint(
            model_name='batchtask',
            constraint=models.UniqueConstraint(fields=('batch', 'number'), name='jobs_batchtask_once'),
        ),
        migrations.AddIndex(
            model_name='storedfile',
            index=models.Index(fields=['expires_at'], name='jobs_storedfile_expiry'),
        ),
        migrations.AddConstraint(
            model_name='storedfile',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_storedfile_tenant'),
        ),
        *(protect(table) for table in ("jobs_storedfile", "jobs_batch", "jobs_batchtask")),
        refer_within_tenant("jobs_batchtask", "batch_id", "jobs_batch", "CASCADE"),
    ]
