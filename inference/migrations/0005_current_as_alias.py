"""Give each model with a current version the alias `current`, and begin the history of its moves."""

from django.db import migrations

# When a version became current is not known. It was not earlier than the version itself.
_BEGIN = """
INSERT INTO inference_modelalias (served_model_id, name, version_id)
SELECT id, 'current', current_id FROM inference_servedmodel WHERE current_id IS NOT NULL;
INSERT INTO inference_aliasmove (served_model_id, alias, version_id, author, reason, moved_at)
SELECT served.id, 'current', version.id, '', 'first record', version.created_at
FROM inference_servedmodel served JOIN inference_modelversion version ON version.id = served.current_id
"""


class Migration(migrations.Migration):
    dependencies = [("inference", "0004_own_models")]

    operations = [migrations.RunSQL(_BEGIN, migrations.RunSQL.noop)]
