
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('jobs', '0006_embed_after_the_result'),
    ]

    operations = [
        migrations.AddField(
            model_name='documentpage',
            name='scans',
            field=models.JSONField(help_text='Parts that show more than the text layer. Null if there are none.', null=True),
        ),
    ]
