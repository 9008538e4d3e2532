"""Tests of how the code for a call looks. test_running.py runs it."""

import subprocess

from jobs.dashboard.catalog.snippets.call import Call
from jobs.dashboard.catalog.snippets.languages import snippets_of

URL = "https://maas.example.com"
SCAN = Call("parse", "text", file_name="scan.pdf")


def code(call: Call, language: str) -> str:
    return next(snippet.code for snippet in snippets_of(call, URL) if snippet.language == language)


def test_the_key_is_never_written_out() -> None:
    for snippet in snippets_of(SCAN, URL):
        assert "MAAS_API_KEY" in snippet.code
        assert "maas_live_" not in snippet.code


def test_every_language_names_the_address_the_model_and_the_file() -> None:
    for snippet in snippets_of(SCAN, URL):
        assert URL in snippet.code
        assert "parse" in snippet.code
        assert "scan.pdf" in snippet.code


def test_only_parameters_that_were_changed_are_sent() -> None:
    assert "parameters" not in code(SCAN, "curl")
    changed = Call("parse", "text", file_name="scan.pdf", parameters={"min_confidence": 0.6})
    assert """--form-string 'parameters={"min_confidence": 0.6}'""" in code(changed, "curl")
    assert 'parameters={"min_confidence": 0.6}' in code(changed, "python")


def test_a_priority_is_said_where_it_is_not_the_usual_one() -> None:
    urgent = Call("parse", "text", file_name="scan.pdf", priority="interactive")
    assert "-F priority=interactive" in code(urgent, "curl")
    assert 'priority="interactive"' in code(urgent, "python")
    assert 'body.append("priority", "interactive");' in code(urgent, "javascript")
    text = Call("parse", "text", input="words", priority="bulk")
    for language in ("curl", "javascript"):
        assert '"priority": "bulk"' in code(text, language)
    assert not any("priority" in snippet.code for snippet in snippets_of(SCAN, URL))


def test_curl_takes_a_file_of_any_name() -> None:
    for name, written in (
        ("a b.pdf", "'file=@a b.pdf'"),
        ("a;type=x.pdf", """'file=@"a;type=x.pdf"'"""),
        ('say "a".pdf', r"""'file=@"say \"a\".pdf"'"""),
        ("-", "'file=@./-'"),
        ("it's.pdf", r"'file=@it'\''s.pdf'"),
    ):
        assert written in code(Call("parse", "text", file_name=name), "curl")


def test_python_says_first_where_its_client_comes_from() -> None:
    assert code(SCAN, "python").startswith(f"# pip install {URL}/client.zip\n")


def test_the_sample_is_fetched_before_it_is_sent() -> None:
    sample = Call("ocr", "text", file_name="sample-scan.jpg", sample=True)
    assert code(sample, "curl").startswith(f"curl -sSo sample-scan.jpg '{URL}/sample/page'\n")
    assert f'urlretrieve("{URL}/sample/page", "sample-scan.jpg")\n' in code(sample, "python")
    assert 'fetch(service + "/sample/page")' in code(sample, "javascript")
    assert not any("/sample/page" in snippet.code for snippet in snippets_of(SCAN, URL))


def test_a_key_that_is_given_takes_the_place_of_the_variable() -> None:
    for snippet in snippets_of(Call("parse", "text", file_name="scan.pdf", key="it's a key"), URL):
        assert "a key" in snippet.code
        assert ("MAAS_API_KEY" in snippet.code) == (snippet.language == "curl")


def test_python_says_what_kind_of_input_it_sends() -> None:
    assert 'client.run("embed", text="a")' in code(Call("embed", "embedding", input="a"), "python")
    assert 'texts=["a", "b"]' in code(Call("embed", "embeddings", input=["a", "b"]), "python")
    assert "tensors=[{" in code(Call("add", "outputs", input={"tensors": [{"name": "x"}]}), "python")


def test_colors_change_no_character() -> None:
    hostile = Call("embed", "embeddings", input=['it\'s "a" `b` # no comment // none\n', "-1.5"])
    for snippet in (*snippets_of(hostile, URL), *snippets_of(SCAN, URL)):
        assert "".join(part.text for part in snippet.parts) == snippet.code
        assert {"string", "keyword"} <= {part.kind for part in snippet.parts}


def test_javascript_sends_whole_numbers_of_any_size() -> None:
    call = Call("add", "outputs", input={"tensors": [{"data": [2**63 - 1]}]})
    assert "9223372036854775807" in node(code(call, "javascript"))


def test_javascript_takes_no_key_for_a_prototype() -> None:
    call = Call("add", "outputs", input={"tensors": [{"__proto__": 1}]})
    assert "__proto__" in node(code(call, "javascript"))


def node(program: str) -> str:
    body = program[program.index("const body") : program.index("let answer")]
    done = subprocess.run(["node", "--eval", f"{body}; console.log(body)"], capture_output=True, check=True, text=True)
    return done.stdout
