"""What goes wrong with a model itself, as opposed to with what a caller sent (`WorkRefused`)."""


class ModelFailed(Exception):
    """The model could not serve; the operator's to mend, or to be tried again where `retryable` says so."""

    def __init__(self, code: str, detail: str, *, retryable: bool = False) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.retryable = retryable


class StepFailed(ModelFailed):
    """A step of a pipeline failed; the message names the step."""

    def __init__(self, step: str, code: str, detail: str, *, retryable: bool = False) -> None:
        super().__init__(code, f"step '{step}': {detail}", retryable=retryable)
        self.step = step


class ModelOverloaded(ModelFailed):
    """More waits for this model here than may wait; refused at once rather than late."""

    def __init__(self, detail: str) -> None:
        super().__init__("model_overloaded", detail, retryable=True)


class DeadlinePassed(ModelFailed):
    """The answer would come after the caller's deadline; nothing was run for it."""

    def __init__(self, detail: str) -> None:
        super().__init__("deadline_exceeded", detail)


class CallCanceled(Exception):
    """Nobody waits for the answer any more."""
