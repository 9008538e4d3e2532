from django.db import migrations

# Free space on each block lets an update stay on its block, without a new entry in any index. Rows of jobs are updated
# after each page. Vacuum and the statistics would otherwise wait for a fifth or a tenth of all rows to change: of ten
# million pages, until a million have.
SETTINGS = {
    "jobs_page": {
        "fillfactor": "85",
        "autovacuum_vacuum_scale_factor": "0.02",
        "autovacuum_vacuum_insert_scale_factor": "0.05",
        "autovacuum_analyze_scale_factor": "0.01",
    },
    "jobs_job": {
        "fillfactor": "80",
        "autovacuum_vacuum_scale_factor": "0.02",
        "autovacuum_vacuum_insert_scale_factor": "0.05",
        "autovacuum_analyze_scale_factor": "0.01",
    },
    "jobs_event": {
        "autovacuum_vacuum_scale_factor": "0.05",
        "autovacuum_vacuum_insert_scale_factor": "0.05",
        "autovacuum_analyze_scale_factor": "0.02",
    },
    "jobs_pagetext": {
        "autovacuum_vacuum_scale_factor": "0.05",
        "autovacuum_vacuum_insert_scale_factor": "0.05",
        "autovacuum_analyze_scale_factor": "0.02",
    },
}


def _forwards() -> str:
    return "\n".join(
        f"ALTER TABLE {table} SET ({', '.join(f'{name} = {value}' for name, value in settings.items())});"
        for table, settings in SETTINGS.items()
    )


class Migration(migrations.Migration):
    """Say how full blocks of the large tables are, and when they are vacuumed. Writers need not wait for it."""

    dependencies = [("jobs", "0024_fewer_page_indexes")]
    operations = [migrations.RunSQL(_forwards())]
