from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("tenants", "0006_ledger_by_day")]
    operations = [
        AddIndexConcurrently(
            model_name="ledgertransaction",
            index=models.Index(fields=["day"], name="tenants_ledger_of_day"),
        ),
        AddIndexConcurrently(
            model_name="ledgertransaction",
            index=models.Index(
                fields=["tenant"], condition=models.Q(("earlier__isnull", False)), name="tenants_ledger_earlier"
            ),
        ),
    ]
