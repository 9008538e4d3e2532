"""One call of a model, as a program would make it: what is sent, and which part of the response is needed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inference.core.contracts import Json

SAMPLE_PATH = "/sample/page"


@dataclass(frozen=True)
class Call:
    model: str
    shows: str
    """The key of the result that is printed. `text` is the text of the whole document."""
    file_name: str = ""
    """The name of the document that is sent. If it is empty, `input` is sent."""
    sample: bool = False
    """The file is the sample scan, which the code fetches. The service gives it to every caller."""
    input: Json = None
    parameters: Mapping[str, Json] = field(default_factory=dict)
    priority: str = ""
    """The priority. It is empty for the default one."""

    key: str = ""
    """The key that is written into the code. If it is empty, the code reads the variable MAAS_API_KEY."""

    @property
    def body(self) -> Mapping[str, Json]:
        parameters = {"parameters": dict(self.parameters)} if self.parameters else {}
        priority = {"priority": self.priority} if self.priority else {}
        return {"model": self.model, "input": self.input, **parameters, **priority}
