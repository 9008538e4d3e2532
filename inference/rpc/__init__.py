"""Send synchronous calls to the workers through Redis. The queues are bounded and fair between tenants."""

from inference.rpc.answers import LaneAnswer
from inference.rpc.async_client import AsyncLaneClient
from inference.rpc.client import LaneClient
from inference.rpc.demand import LaneDemand, lane_demand
from inference.rpc.errors import LaneOverloaded, LaneUnavailable
from inference.rpc.limits import LaneLimits
from inference.rpc.reader import LaneReader
from inference.rpc.runs import LaneRequest

__all__ = [
    "AsyncLaneClient",
    "LaneAnswer",
    "LaneClient",
    "LaneDemand",
    "LaneLimits",
    "LaneOverloaded",
    "LaneReader",
    "LaneRequest",
    "LaneUnavailable",
    "lane_demand",
]
