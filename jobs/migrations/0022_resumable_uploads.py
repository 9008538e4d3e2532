"""Uploads that come in pieces, and the pieces that have come."""

import django.db.models.deletion
import django.db.models.functions.datetime
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.row_security import (protect, refer_within_tenant)

class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0021_unfinished_pages_of_a_job'),
        ('tenants', '0009_weight_and_caps'),
    ]

    operations = [
        migrations.CreateModel(
            name='ResumableUpload',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=255)),
                ('content_type', models.CharField(blank=True, help_text='As the client named it.', max_length=255)),
                ('metadata', models.CharField(blank=True, help_text='As it was sent.', max_length=4096)),
                ('size_bytes', models.PositiveBigIntegerField()),
                ('offset_bytes', models.PositiveBigIntegerField(default=0, help_text='So much of it is stored.')),
                ('state', models.CharField(choices=[('receiving', 'Receiving'), ('checking', 'Checking'), ('ready', 'Ready'), ('rejected', 'Rejected'), ('expired', 'Expired'), ('terminated', 'Terminated')], default='receiving', max_length=10)),
                ('livemode', models.BooleanField(default=True)),
                ('document_id', models.UUIDField(help_text='What it has become.', null=True)),
                ('duplicate', models.BooleanField(default=False, help_text='These very bytes were a document already.')),
                ('error_code', models.CharField(blank=True, max_length=60)),
                ('error_detail', models.TextField(blank=True)),
                ('lease_token', models.BigIntegerField(null=True)),
                ('lease_until', models.DateTimeField(help_text="Until then it is one request's, or nobody tries to finish it.", null=True)),
                ('expires_at', models.DateTimeField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(null=True)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='UploadPiece',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('start', models.PositiveBigIntegerField()),
                ('size_bytes', models.PositiveBigIntegerField()),
                ('name', models.CharField(max_length=300)),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
                ('upload', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pieces', to='jobs.resumableupload')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddIndex(
            model_name='resumableupload',
            index=models.Index(condition=models.Q(('state__in', ['receiving', 'checking'])), fields=['tenant', 'expires_at'], name='jobs_resumableupload_open'),
        ),
        migrations.AddConstraint(
            model_name='resumableupload',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_resumableupload_tenant'),
        ),
        migrations.AddConstraint(
            model_name='uploadpiece',
            constraint=models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_uploadpiece_tenant'),
        ),
        migrations.AddConstraint(
            model_name='uploadpiece',
            constraint=models.UniqueConstraint(fields=('upload', 'start'), name='jobs_uploadpiece_once'),
        ),
        *(protect(table) for table in ("jobs_resumableupload", "jobs_uploadpiece")),
        refer_within_tenant("jobs_uploadpiece", "upload_id", "jobs_resumableupload", "CASCADE"),
    ]
