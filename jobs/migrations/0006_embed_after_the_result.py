import django.db.models.deletion
import django.db.models.functions.datetime
import tenants.core.ids
from django.db import migrations, models

from tenants.core.db.tenant_references import refer_within_tenant


class Migration(migrations.Migration):

    dependencies = [
        ('inference', '0003_parse_as_declared_pipeline'),
        ('jobs', '0005_corrections'),
        ('tenants', '0003_review_price'),
    ]

    operations = [
        migrations.CreateModel(
            name='PageToEmbed',
            fields=[
                ('id', models.UUIDField(default=tenants.core.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField()),
                ('attempt', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('run_after', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), help_text='According to the clock of the database.')),
                ('job', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='jobs.job')),
                ('model_version', models.ForeignKey(help_text='The version that embeds the text.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='inference.modelversion')),
                ('tenant', models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['run_after'], name='jobs_pagetoembed_due'), models.Index(fields=['tenant', 'job'], name='jobs_pagetoembed_of_job')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'id'), name='jobs_pagetoembed_tenant')],
            },
        ),
        refer_within_tenant([("jobs_pagetoembed", "job_id", "jobs_job", "CASCADE")]),
    ]
