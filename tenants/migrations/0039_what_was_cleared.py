"""What an operator has cleared is known by its name and currency, too: another of the same amount is told."""

from django.db import migrations, models

FIELDS = {
    'told_id': {'max_length': 200, 'help_text': 'What it is named where it came in.'},
    'cleared_currency': {'max_length': 3},
    'cleared_id': {'max_length': 200},
}


class Migration(migrations.Migration):

    dependencies = [
        ("tenants", "0038_charged_earlier"),
    ]

    operations = [
        migrations.AddField(
            model_name='payment',
            name=name,
            field=models.CharField(blank=True, db_default='', editable=False, **options),
        )
        for name, options in FIELDS.items()
    ]
