from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [('tenants', '0026_payments_pending')]

    operations = [
        migrations.AddField(
            model_name='payment',
            name='cleared_micros',
            field=models.BigIntegerField(
                help_text='What it said so and an operator has looked into: it is not told again.', null=True
            ),
        ),
    ]
