"""The read-only objects that the service returns, by noun. Fields that a newer service adds are ignored."""

from maas_client.resources.aliases import Alias
from maas_client.resources.classifications import Classification
from maas_client.resources.codes import Code
from maas_client.resources.corrections import Correction
from maas_client.resources.costs import Cost
from maas_client.resources.documents import Document
from maas_client.resources.events import Event, EventPage
from maas_client.resources.jobs import ENDS, Job
from maas_client.resources.json_values import Box, Json
from maas_client.resources.lines import Block, Line
from maas_client.resources.marks import Mark
from maas_client.resources.model_tasks import ModelTask
from maas_client.resources.model_versions import ModelVersion, Refusal
from maas_client.resources.models import Model
from maas_client.resources.page_warnings import PageWarning
from maas_client.resources.pages import Page
from maas_client.resources.pairs import Pair
from maas_client.resources.problems import Problem
from maas_client.resources.results import Result
from maas_client.resources.search_hits import SearchHit
from maas_client.resources.tables import Cell, Table
from maas_client.resources.variants import Variant

__all__ = [
    "ENDS",
    "Alias",
    "Block",
    "Box",
    "Cell",
    "Classification",
    "Code",
    "Correction",
    "Cost",
    "Document",
    "Event",
    "EventPage",
    "Job",
    "Json",
    "Line",
    "Mark",
    "Model",
    "ModelTask",
    "ModelVersion",
    "Page",
    "PageWarning",
    "Pair",
    "Problem",
    "Refusal",
    "Result",
    "SearchHit",
    "Table",
    "Variant",
]
