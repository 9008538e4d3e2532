"""The way of synchronous calls to the workers: by Redis, fair between tenants, bounded."""

from inference.lane.answers import LaneAnswer
from inference.lane.async_client import AsyncLaneClient
from inference.lane.client import LaneClient
from inference.lane.demand import LaneDemand, lane_demand
from inference.lane.errors import LaneOverloaded, LaneUnavailable
from inference.lane.limits import LaneLimits
from inference.lane.reader import LaneReader
from inference.lane.runs import LaneRequest

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
