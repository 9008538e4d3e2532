"""Archives of documents, and their entries."""

import django.db.models.deletion
import django.db.models.functions.datetime
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.row_security import (protect, refer_within_tenant)


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0028_times_by_the_database'),
        ('tenants', '0009_weight_and_caps'),
    ]

    operations = [
        migrations.CreateModel(
            name='Archive',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=255)),
                ('file', models.CharField(editable=False, max_length=300)),
                ('sha256', models.CharField(max_length=64)),
                ('size_bytes', models.PositiveBigIntegerField()),
                ('state', models.CharField(choices=[('unpacking', 'unpacking'), ('done', 'done'), ('failed', 'failed'), ('canceled', 'canceled')], default='unpacking', max_length=12)),
                ('model', models.CharField(blank=True, help_text='With its version; none where no jobs are made.', max_length=140)),
                ('parameters', models.JSONField(default=dict)),
                ('priority', models.SmallIntegerField(default=2)),
                ('webhook_url', models.CharField(blank=True, max_length=2000)),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('error_detail', models.CharField(blank=True, max_length=500)),
                ('waiting_code', models.CharField(blank=True, help_text='Why it rests until it runs again.', max_length=60)),
                ('livemode', models.BooleanField(default=True)),
                ('api_key_id', models.UUIDField(null=True)),
                ('request_id', models.CharField(blank=True, max_length=64)),
                ('attempt', models.PositiveIntegerField(default=0, help_text='Since its last entry ended.')),
                ('run_after', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('lease_token', models.BigIntegerField(null=True)),
                ('lease_until', models.DateTimeField(null=True)),
                ('worker', models.CharField(blank=True, max_length=100)),
                ('served_at', models.DateTimeField(help_text='When it was last taken up, for tenants to take turns.', null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('finished_at', models.DateTimeField(null=True)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ArchiveEntry',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(help_text="In the order of the archive's directory, from 1.")),
                ('name', models.CharField(blank=True, help_text='As people see it: never a path.', max_length=400)),
                ('size_bytes', models.PositiveBigIntegerField(help_text='Unpacked, as the directory has it.')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('done', 'done'), ('failed', 'failed'), ('skipped', 'skipped'), ('canceled', 'canceled')], default='waiting', max_length=12)),
                ('document_id', models.UUIDField(null=True)),
                ('job_id', models.UUIDField(null=True)),
                ('error_code', models.CharField(blank=True, help_text='Or why it was skipped.', max_length=60)),
                ('error_detail', models.CharField(blank=True, max_length=500)),
                ('archive', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='jobs.archive')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(condition=models.Q(('state', 'unpacking')), fields=['run_after'], name='jobs_archive_unfinished'),
        ),
        migrations.AddIndex(
            model_name='archive',
            index=models.Index(fields=['created_at'], name='jobs_archive_age'),
        ),
        migrations.AddConstraint(
            model_name='archive',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_archive_tenant'),
        ),
        migrations.AddConstraint(
            model_name='archiveentry',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_archiveentry_tenant'),
        ),
        migrations.AddConstraint(
            model_name='archiveentry',
            constraint=models.UniqueConstraint(fields=('archive', 'number'), name='jobs_archiveentry_once'),
        ),
        protect("jobs_archive"),
        protect("jobs_archiveentry"),
        refer_within_tenant("jobs_archiveentry", "archive_id", "jobs_archive", "CASCADE"),
    ]
