"""Errors of a model itself, as opposed to errors in a caller's input (`WorkRefused`)."""


class ModelFailed(Exception):
    """The error for a model that could not serve. If `retryable` is set, the call may be tried again."""

    def __init__(self, code: str, detail: str, *, retryable: bool = False) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.retryable = retryable


class StepFailed(ModelFailed):
    """The error for a failed step of a pipeline. The message names the step."""

    def __init__(self, step: str, code: str, detail: str, *, retryable: bool = False) -> None:
        super().__init__(code, f"step '{step}': {detail}", retryable=retryable)
        self.step = step


class ModelOverloaded(ModelFailed):
    """The error for a full queue of this model. The call is refused at once rather than late."""

    def __init__(self, detail: str) -> None:
        super().__init__("model_overloaded", detail, retryable=True)


class DeadlinePassed(ModelFailed):
    """The error for an answer that would come after the caller's deadline. Nothing was run for it."""

    def __init__(self, detail: str) -> None:
        super().__init__("deadline_exceeded", detail)


class CallCanceled(Exception):
    """The error for a call whose answer is no longer wanted."""
