"""`/v1/operator/scaling`: the work and the workers of each pool, for operators and for autoscalers such as KEDA."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from jobs.scaling.published import published, published_pool
from tenants.api.operators import IsOperator, OperatorAuthentication
from tenants.api.parameters import only


class ScalingList(APIView):
    authentication_classes = (OperatorAuthentication,)
    permission_classes = (IsOperator,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        only(request)
        return Response({"object": "list", "data": published()})


class ScalingOfPool(APIView):
    authentication_classes = (OperatorAuthentication,)
    permission_classes = (IsOperator,)

    @extend_schema(exclude=True)
    def get(self, request: Request, pool: str) -> Response:
        only(request)
        return Response(published_pool(pool))
