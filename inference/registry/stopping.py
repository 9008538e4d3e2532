"""The state of a model of the installation when its operator stops or resumes it."""

from inference.registry.models import ServedModel
from tenants.cells.replicated import ChangedElsewhere, Kind, replicated_part, where_to_change

State = ServedModel.State


def installation_state(name: str, *, paused: bool) -> str:
    """Return the state. A model of the control cell that is stopped here stays so, whatever that cell says. While that
    cell has paused it, it cannot be resumed here: raises ChangedElsewhere. This is operator work.
    """
    part = replicated_part(Kind.MODEL, name)
    if part is None:
        return State.PAUSED if paused else State.ACTIVE
    if not paused and part.content.get("state", State.ACTIVE) != State.ACTIVE:
        raise ChangedElsewhere(
            f"The model {name!r} cannot be resumed in this cell while the control cell has paused it. "
            f"{where_to_change(part)}"
        )
    return State.SUSPENDED if paused else State.ACTIVE
