from jobs.queue.outage import GAP_S, Outage

GRACE_S = 12.0


def test_a_database_that_answers_all_the_time_holds_nothing_up() -> None:
    outage = Outage(GRACE_S)
    for now_s in range(10):
        outage.answered(float(now_s))
        assert outage.is_over(float(now_s))


def test_after_a_silence_workers_have_time_to_renew_their_leases() -> None:
    outage = Outage(GRACE_S)
    outage.answered(100.0)
    back_s = 100.0 + GAP_S + 1
    outage.answered(back_s)
    assert not outage.is_over(back_s + GRACE_S - 0.1)
    assert outage.is_over(back_s + GRACE_S)


def test_a_database_that_answers_and_takes_nothing_begins_the_time_anew() -> None:
    outage = Outage(GRACE_S)
    outage.answered(100.0)
    outage.failed(101.0)
    outage.failed(105.0)
    assert not outage.is_over(105.0 + GRACE_S - 0.1)
    assert outage.is_over(105.0 + GRACE_S)


def test_a_process_that_has_just_started_waits_for_nothing() -> None:
    outage = Outage(GRACE_S)
    outage.answered(5.0)
    assert outage.is_over(5.0)
