import json

import pytest

from tenants.request_log.entries import LogEntry


def entry_with(problem: object) -> LogEntry:
    return LogEntry("1", 0.0, 1.0, "POST", "/v1/x", 400, "r", "", "", "", json.dumps(problem))


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ({"code": "c", "detail": "d", "status": 404}, ("c", "d")),
        ({"error": "d", "code": "c", "request_id": "r"}, ("c", "d")),
        ({"error": {"message": "d", "type": "t", "param": None, "code": "c"}}, ("c", "d")),
        ({"code": "c"}, ("c", "")),
        ({"error": {"message": "d"}}, ("", "")),
        ({}, ("", "")),
        (["code"], ("", "")),
    ],
    ids=["problem", "open inference", "openai", "only a code", "no code", "nothing", "no object"],
)
def test_a_refusal_is_understood_in_each_protocols_words(problem: object, words: tuple[str, str]) -> None:
    assert entry_with(problem).problem_words == words
