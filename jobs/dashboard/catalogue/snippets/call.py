"""One call of a model, as a program would make it: what is sent, and which part of the answer is of interest."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inference.core.contracts import Json

SAMPLE_PATH = "/sample/page"


@dataclass(frozen=True)
class Call:
    model: str
    shows: str
    """The key of the answer that is printed; `text` is the whole document's."""
    file_name: str = ""
    """Of the document that is sent; without one, `input` is."""
    sample: bool = False
    """Whether that file is the sample scan, which the code fetches: the service gives it to anybody."""
    input: Json = None
    parameters: Mapping[str, Json] = field(default_factory=dict)
    """Those that differ from their defaults."""
    priority: str = ""
    """Empty for the usual."""

    key: str = ""
    """Written into the code; without one, the code reads the variable MAAS_API_KEY."""

    @property
    def body(self) -> Mapping[str, Json]:
        """The JSON form of a submission."""
        parameters = {"parameters": dict(self.parameters)} if self.parameters else {}
        priority = {"priority": self.priority} if self.priority else {}
        return {"model": self.model, "input": self.input, **parameters, **priority}
