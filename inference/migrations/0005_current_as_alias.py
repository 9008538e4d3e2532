"""Give each model with a current version the alias `current`, and begin the history of its moves."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def begin_history(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    using = schema_editor.connection.alias
    served = apps.get_model("inference", "ServedModel").objects.using(using).filter(current__isnull=False)
    aliases = apps.get_model("inference", "ModelAlias").objects.using(using)
    moves = apps.get_model("inference", "AliasMove").objects.using(using)
    for model_id, version_id, since in served.values_list("id", "current_id", "current__created_at"):
        aliases.create(served_model_id=model_id, name="current", version_id=version_id)
        # When it became current is not known. It was not earlier than this.
        moves.create(
            served_model_id=model_id, alias="current", version_id=version_id, moved_at=since, reason="first record"
        )


class Migration(migrations.Migration):
    dependencies = [("inference", "0004_own_models")]

    operations = [migrations.RunPython(begin_history, migrations.RunPython.noop)]
