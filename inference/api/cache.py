"""The resource `/v1/cache`: the caller's own results that are stored to answer again."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.accounts.results import erase_results
from tenants.api.callers import caller
from tenants.api.parameters import only
from tenants.api.schema import REFUSALS
from tenants.core.db.unit_of_work import unit_of_work


class Cache(APIView):
    @extend_schema(
        operation_id="erase_cache",
        summary="Delete cached results",
        responses={204: None, **REFUSALS},
    )
    def delete(self, request: Request) -> Response:
        identity = caller(request, "jobs:write")
        only(request)
        # A test key is refused, because the results of live keys would be erased as well.
        identity.require_livemode()
        with unit_of_work(identity):
            erase_results(tenant_id=identity.tenant_id)
        return Response(status=204)
