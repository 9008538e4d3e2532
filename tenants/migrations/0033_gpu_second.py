"""Prices and included units of the time that models compute."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0032_sums_to_settle'),
    ]

    operations = [
        migrations.AlterField(
            model_name='planincluded',
            name='meter',
            field=models.CharField(choices=[('page', 'page'), ('token', 'token'), ('call', 'call'), ('gpu_second', 'gpu_second')], max_length=10),
        ),
        migrations.AlterField(
            model_name='planincluded',
            name='quantity',
            field=models.PositiveBigIntegerField(help_text='Units a month; GPU time in milliseconds. 0: none from then on.'),
        ),
        migrations.AlterField(
            model_name='planprice',
            name='meter',
            field=models.CharField(choices=[('page', 'page'), ('token', 'token'), ('call', 'call'), ('gpu_second', 'gpu_second')], max_length=10),
        ),
        migrations.AlterField(
            model_name='planprice',
            name='per',
            field=models.PositiveIntegerField(default=1, help_text='GPU time is in milliseconds: 1000 for a price per second.', validators=[django.core.validators.MinValueValidator(1)], verbose_name='per units'),
        ),
        migrations.AlterField(
            model_name='tenantprice',
            name='meter',
            field=models.CharField(choices=[('page', 'page'), ('token', 'token'), ('call', 'call'), ('gpu_second', 'gpu_second')], max_length=10),
        ),
        migrations.AlterField(
            model_name='tenantprice',
            name='per',
            field=models.PositiveIntegerField(default=1, help_text='GPU time is in milliseconds: 1000 for a price per second.', validators=[django.core.validators.MinValueValidator(1)], verbose_name='per units'),
        ),
    ]
