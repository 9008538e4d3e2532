"""What tests tell goes to endpoints of tests, under secrets of tests; what there was before is live. And batches of tests
are found once their time is over.

Indexes are built while others go on writing, and so outside of a transaction; the migration can be run again, either way.
"""

from django.db import migrations, models

LANES = "jobs_webhookendpoint_of_jobs_mode"
LANE_BY_MODE = f"""
CREATE UNIQUE INDEX CONCURRENTLY {LANES} ON jobs_webhookendpoint (tenant_id, url, livemode) WHERE kind = 'jobs'
"""
LANE = """
CREATE UNIQUE INDEX CONCURRENTLY jobs_webhookendpoint_of_jobs ON jobs_webhookendpoint (tenant_id, url)
WHERE kind = 'jobs'
"""
SECRETS = "jobs_webhooksecret_one_lasts_mode"
SECRET_BY_MODE = f"""
CREATE UNIQUE INDEX CONCURRENTLY {SECRETS} ON jobs_webhooksecret (tenant_id, endpoint_id, of_tests)
NULLS NOT DISTINCT WHERE ends_at IS NULL
"""
SECRET = """
CREATE UNIQUE INDEX CONCURRENTLY jobs_webhooksecret_one_lasts ON jobs_webhooksecret (tenant_id, endpoint_id)
NULLS NOT DISTINCT WHERE ends_at IS NULL
"""
# Few beside all that is live: whoever lists them, or erases them in time, must not pass over the rest.
OF_TESTS = {"batch": ["created_at"], "document": ["tenant", "-id"], "job": ["tenant", "-id"]}
COLUMNS = {"created_at": "created_at", "tenant": "tenant_id", "-id": "id DESC"}
# The version before knows no endpoint of tests, and would send it what is live.
# Rows are behind the wall for the table's owner too.
WITHOUT_TESTS = """
DO $$ BEGIN
ALTER TABLE jobs_webhookendpoint NO FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs_webhooksecret NO FORCE ROW LEVEL SECURITY;
DELETE FROM jobs_webhookendpoint WHERE NOT livemode;
DELETE FROM jobs_webhooksecret WHERE of_tests;
ALTER TABLE jobs_webhooksecret FORCE ROW LEVEL SECURITY;
ALTER TABLE jobs_webhookendpoint FORCE ROW LEVEL SECURITY;
END $$
"""


def dropped(name: str) -> str:
    return f"DROP INDEX CONCURRENTLY IF EXISTS {name}"


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("jobs", "0045_webhook_not_before")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column} boolean DEFAULT {default} NOT NULL",
                    f"ALTER TABLE {table} DROP COLUMN IF EXISTS {column}",
                )
                for table, column, default in (
                    ("jobs_webhookendpoint", "livemode", "true"),
                    ("jobs_webhooksecret", "of_tests", "false"),
                )
            ],
            state_operations=[
                migrations.AddField(
                    "webhookendpoint", "livemode", models.BooleanField(db_default=True, default=True)
                ),
                migrations.AddField(
                    "webhooksecret",
                    "of_tests",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Of the tenant's own: signs what tests tell the addresses that they name.",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(dropped(LANES), migrations.RunSQL.noop),
        migrations.RunSQL(LANE_BY_MODE, dropped(LANES)),
        migrations.RunSQL(dropped(SECRETS), migrations.RunSQL.noop),
        migrations.RunSQL(SECRET_BY_MODE, dropped(SECRETS)),
        *(
            step
            for table, fields in OF_TESTS.items()
            for step in (
                migrations.RunSQL(dropped(f"jobs_{table}_of_tests"), migrations.RunSQL.noop),
                migrations.RunSQL(
                    f"CREATE INDEX CONCURRENTLY jobs_{table}_of_tests ON jobs_{table} "
                    f"({', '.join(COLUMNS[field] for field in fields)}) WHERE NOT livemode",
                    dropped(f"jobs_{table}_of_tests"),
                ),
            )
        ),
        migrations.RunSQL(dropped("jobs_webhookendpoint_of_jobs"), LANE),
        migrations.RunSQL(migrations.RunSQL.noop, dropped("jobs_webhookendpoint_of_jobs")),
        migrations.RunSQL(dropped("jobs_webhooksecret_one_lasts"), SECRET),
        migrations.RunSQL(migrations.RunSQL.noop, dropped("jobs_webhooksecret_one_lasts")),
        migrations.RunSQL(migrations.RunSQL.noop, WITHOUT_TESTS),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                *(
                    migrations.AddIndex(
                        table,
                        models.Index(
                            condition=models.Q(livemode=False), fields=fields, name=f"jobs_{table}_of_tests"
                        ),
                    )
                    for table, fields in OF_TESTS.items()
                ),
                migrations.RemoveConstraint("webhookendpoint", "jobs_webhookendpoint_of_jobs"),
                migrations.AddConstraint(
                    "webhookendpoint",
                    models.UniqueConstraint(
                        condition=models.Q(kind="jobs"), fields=("tenant", "url", "livemode"), name=LANES
                    ),
                ),
                migrations.RemoveConstraint("webhooksecret", "jobs_webhooksecret_one_lasts"),
                migrations.AddConstraint(
                    "webhooksecret",
                    models.UniqueConstraint(
                        condition=models.Q(ends_at=None),
                        fields=("tenant", "endpoint", "of_tests"),
                        name=SECRETS,
                        nulls_distinct=False,
                    ),
                ),
            ]
        ),
    ]
