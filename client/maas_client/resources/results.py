"""A job with its results."""

from dataclasses import dataclass, field
from typing import Self

from maas_client.resources.costs import Cost
from maas_client.resources.jobs import Job
from maas_client.resources.json_values import Json
from maas_client.resources.pages import Page


@dataclass(frozen=True, slots=True)
class Result:
    """A job with its results. Pages that did not succeed are included, with the reason."""

    job: Job
    text: str
    pages: tuple[Page, ...]
    data: Json = field(repr=False)
    """The result as the service sent it."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        """Build a result from `body`, a job that contains its `result`."""
        result = body["result"]
        pages = tuple(Page.from_json(page) for page in result["pages"])
        return cls(Job.from_json(body), result["text"], pages, result)

    @property
    def id(self) -> str:
        return self.job.id

    @property
    def state(self) -> str:
        return self.job.state

    @property
    def cost(self) -> Cost:
        return self.job.cost
