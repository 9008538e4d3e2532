"""Finds payments that are not done yet, which are few among many."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('tenants', '0025_payments_asked'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='payment',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['created_at'], name='tenants_payment_pending'),
        ),
    ]
