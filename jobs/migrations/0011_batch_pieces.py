"""How far a slice of a batch is, and what its answers take while they lie in pieces."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0010_known_pages_indexes'),
    ]

    operations = [
        migrations.AddField(
            model_name='batch',
            name='made_bytes',
            field=models.PositiveBigIntegerField(db_default=0, default=0, help_text='Of answers, while they lie in pieces.'),
        ),
        migrations.AddField(
            model_name='batchtask',
            name='answered',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='Lines at its beginning whose answers are saved and charged.'),
        ),
        migrations.AlterField(
            model_name='batch',
            name='ending',
            field=models.CharField(blank=True, help_text='How it will end once its files are made: cancelled, expired or failed.', max_length=20),
        ),
    ]
