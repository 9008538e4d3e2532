"""The errors of class sets."""

from tenants.core.errors import DomainError


class ClassSetNotFound(DomainError):
    """A job names a class set or a version that does not exist."""

    code = "class_set_not_found"


class ClassSetNotTrained(DomainError):
    code = "class_set_not_trained"


class ClassSetExists(DomainError):
    code = "class_set_exists"


class TooManyClassSets(DomainError):
    code = "too_many_class_sets"


class ClassSetUntrainable(DomainError):
    """The examples do not suffice. `extra` has the `reason`: the engine's own code."""

    code = "class_set_untrainable"


class ExampleNotUsable(DomainError):
    """The job has no text to learn from, or the class takes no more examples."""

    code = "example_not_usable"
