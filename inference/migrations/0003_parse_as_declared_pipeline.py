"""Store the steps of the versions of `parse` that had them in the code, so that jobs accepted with them still run."""

import json
from pathlib import Path

from django.db import migrations

_DECLARED = json.dumps(json.loads(Path(__file__).with_name("parse_before_blocks.json").read_text()))
_DECLARE = """
UPDATE inference_modelversion SET runtime = 'graph', config = config || jsonb_build_object('graph', %s::jsonb)
WHERE runtime = 'parse'
"""


class Migration(migrations.Migration):
    dependencies = [("inference", "0002_review_price")]

    # No Python runs here: it would have Django build all models for this migration and for each one after it.
    operations = [migrations.RunSQL([(_DECLARE, [_DECLARED])], migrations.RunSQL.noop)]
