"""A price by the time that a model computes."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('inference', '0006_cached_results'),
    ]

    operations = [
        migrations.AlterField(
            model_name='servedmodel',
            name='price_meter',
            field=models.CharField(choices=[('page', 'page'), ('token', 'token'), ('call', 'call'), ('gpu_second', 'gpu_second')], max_length=10),
        ),
    ]
