"""The state of a model of the installation when its operator stops or resumes it."""

from inference.registry.models import ServedModel
from tenants.cells.replicated import Kind, replicated_part

State = ServedModel.State


def installation_state(name: str, *, paused: bool) -> str:
    """Return the state. A model of the control cell that is stopped here stays so, whatever that cell says. When it is
    resumed, it has the control cell's state again. This is operator work.
    """
    part = replicated_part(Kind.MODEL, name)
    if part is None:
        return State.PAUSED if paused else State.ACTIVE
    return State.SUSPENDED if paused else str(part.content.get("state", State.ACTIVE))
