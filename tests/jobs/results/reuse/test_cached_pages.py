import json
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from jobs.documents.content import page_sha256
from jobs.results.reuse.cached_pages import Content, page_key

TENANT = UUID(int=1)
VALUES = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
KNOWN_BY = st.fixed_dictionaries(
    {
        "secret": st.binary(min_size=1, max_size=40),
        "tenant_id": st.uuids(),
        "generation": st.integers(0, 3),
        "livemode": st.booleans(),
        "digest": st.text(max_size=64),
        "parameters": st.dictionaries(st.text(max_size=5), VALUES, max_size=3),
        "content": st.builds(
            Content, kind=st.sampled_from(["page", "text_file", "input"]), sha256=st.text(max_size=64)
        ),
    }
)


def key(**changes: Any) -> bytes:
    usual: dict[str, Any] = {
        "secret": b"secret",
        "tenant_id": TENANT,
        "generation": 0,
        "livemode": True,
        "digest": "d",
        "parameters": {"a": 1},
        "content": Content("page", "c"),
    }
    return page_key(**{**usual, **changes})


@given(KNOWN_BY, KNOWN_BY)
def test_keys_are_the_same_only_where_everything_is(one: dict[str, Any], other: dict[str, Any]) -> None:
    def written(known_by: dict[str, Any]) -> str:
        return json.dumps(known_by, sort_keys=True, default=repr)

    # HMAC treats a secret that is padded with zeros as the same secret. This installation has one secret, of one
    # length.
    other = {**other, "secret": one["secret"]}
    assert (page_key(**one) == page_key(**other)) == (written(one) == written(other))


@given(KNOWN_BY)
def test_the_order_of_parameters_does_not_matter(known_by: dict[str, Any]) -> None:
    turned = dict(reversed(known_by["parameters"].items()))
    assert page_key(**known_by) == page_key(**{**known_by, "parameters": turned})
    assert len(page_key(**known_by)) == 32


def test_each_part_alone_makes_another_key() -> None:
    changed = [
        key(),
        key(secret=b"other"),
        key(tenant_id=UUID(int=2)),
        key(generation=1),
        key(livemode=False),
        key(digest="e"),
        key(parameters={"a": 2}),
        key(parameters={"a": True}),
        key(content=Content("input", "c")),
        key(content=Content("page", "d")),
    ]
    assert len(set(changed)) == len(changed)


def test_what_is_on_a_page_is_its_picture_its_size_and_its_own_text() -> None:
    line = [{"text": "a", "box": None, "confidence": 1.0}]
    seen = {
        page_sha256(picture=picture, width_px=width, height_px=3, text_layer=text)
        for picture in (b"one", b"two")
        for width in (2, 4)
        for text in (None, [], line)
    }
    assert len(seen) == 12
