import threading

from maas.scheduler.duties import Aside
from tests.waiting import eventually


class Duty:
    """A duty that takes as long as the test says, and then fails."""

    def __init__(self) -> None:
        self.begun = 0
        self.go_on = threading.Event()

    def do(self) -> None:
        self.begun += 1
        assert self.go_on.wait(20)
        raise ValueError("of the duty's own")


def test_duty_that_waits_holds_nobody_up_and_is_not_begun_twice() -> None:
    duty = Duty()
    aside = Aside(duty.do)
    aside()
    eventually(lambda: duty.begun, "the duty")
    aside()
    aside()
    assert duty.begun == 1
    duty.go_on.set()


def test_duty_that_failed_is_begun_again() -> None:
    duty = Duty()
    duty.go_on.set()
    aside = Aside(duty.do)

    def begin() -> bool:
        aside()
        return duty.begun >= 2

    assert eventually(begin, "the second time")
