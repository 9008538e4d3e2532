"""Which part of a charge is for work of months before: of a job that ran over the end of one."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("tenants", "0037_plan_pays_beforehand"),
    ]

    operations = [
        migrations.AddField(
            model_name='ledgertransaction',
            name='earlier',
            field=models.JSONField(editable=False, help_text='Of a charge: micros that are for work of months before, by month.', null=True),
        ),
    ]
