"""When a document was last of use, and up to where a tenant's events are erased.

Documents that are there count as used now: none is erased before its time.
"""

from django.db import migrations, models
from django.db.models.functions import Now

from tenants.core.db.row_security import (protect)

# Not mapped: jobs/retention/events.py alone writes it, and the reader of the tenant's stream looks at it.
HORIZON = "CREATE TABLE jobs_eventhorizon (tenant_id uuid PRIMARY KEY, xid xid8 NOT NULL, event_id bigint NOT NULL);"

class Migration(migrations.Migration):
    dependencies = [("jobs", "0029_archives")]

    operations = [
        migrations.AddField(
            "document",
            "used_at",
            models.DateTimeField(
                db_default=Now(), editable=False, help_text="When it was last sent or read, to the hour."
            ),
        ),
        migrations.RunSQL(HORIZON, "DROP TABLE jobs_eventhorizon;"),
        protect("jobs_eventhorizon"),
    ]
