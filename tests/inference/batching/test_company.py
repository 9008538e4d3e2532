from inference.batching.company import Company


def rounds(company: Company, *, rows: int, count: int, group: object = None) -> Company:
    for now in range(count):
        company.run_ended(group, rows, now)
        company.answered(now)
        for _ in range(rows):
            company.arrived(group, 1, now + 0.001, 0.005)
    company.run_ended(group, rows, count)
    return company


def test_callers_who_come_back_are_expected() -> None:
    assert 60 < rounds(Company(), rows=64, count=20).missing(None) <= 64


def test_as_many_are_expected_as_have_just_been_answered() -> None:
    company = rounds(Company(), rows=8, count=20)
    company.arrived(None, 8, 20.001, 0.005)
    company.run_ended(None, 64, 21)
    assert 60 < company.missing(None) <= 64


def test_new_callers_are_not_taken_for_those_who_come_back() -> None:
    company = Company()
    for now in range(20):
        company.run_ended(None, 1, now)
        company.arrived(None, 10, now + 0.001, 0.005)
    company.run_ended(None, 1, 20)
    assert company.missing(None) <= 1


def test_nobody_is_expected_before_the_first_run() -> None:
    company = Company()
    company.arrived(None, 1, 0.0, 0.005)
    assert company.missing(None) == 0


def test_those_who_have_come_are_not_missing() -> None:
    company = rounds(Company(), rows=10, count=20)
    company.arrived(None, 10, 20.001, 0.005)
    assert company.missing(None) < 1


def test_those_who_come_later_are_no_company() -> None:
    company = Company()
    for now in range(20):
        company.run_ended(None, 10, now)
        company.arrived(None, 10, now + 0.1, 0.005)
    company.run_ended(None, 10, 20)
    assert company.missing(None) == 0


def test_callers_who_stay_away_are_soon_no_longer_expected() -> None:
    company = rounds(Company(), rows=10, count=20)
    for now in range(21, 30):
        company.run_ended(None, 10, now)
    assert company.missing(None) < 1


def test_another_kind_of_piece_is_not_expected() -> None:
    company = rounds(Company(), rows=10, count=20, group="long")
    assert company.missing("short") == 0
    company.run_ended("short", 10, 21)
    assert company.missing("short") == 0


def test_those_who_come_after_a_long_gap_would_not_have_been_waited_for() -> None:
    company = Company()
    for now in range(20):
        company.run_ended(None, 10, now)
        company.arrived(None, 10, now + 0.004, 0.005)
    company.run_ended(None, 10, 20)
    assert company.missing(None) == 0
