from io import StringIO

import yaml
from django.core.management import call_command


def test_the_openapi_document_is_made_without_a_single_warning() -> None:
    written = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=written)
    document = yaml.safe_load(written.getvalue())
    assert document["openapi"].startswith("3.1")
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert all(operation["operationId"] and operation["summary"] for operation in operations)
    assert all("4XX" in operation["responses"] for operation in operations)
