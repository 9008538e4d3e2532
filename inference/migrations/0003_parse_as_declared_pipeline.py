"""Store the steps of the versions of `parse` that had them in the code, so that jobs accepted with them still run."""

import json
from pathlib import Path

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_DECLARED = Path(__file__).with_name("parse_before_blocks.json")


def declare(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    versions = apps.get_model("inference", "ModelVersion").objects.using(schema_editor.connection.alias)
    graph = json.loads(_DECLARED.read_text())
    for version in versions.filter(runtime="parse"):
        # A save would ask the router, which knows only the roles of the running product.
        versions.filter(pk=version.pk).update(runtime="graph", config={**version.config, "graph": graph})


class Migration(migrations.Migration):
    dependencies = [("inference", "0002_review_price")]

    operations = [migrations.RunPython(declare, migrations.RunPython.noop)]
