from base64 import b64decode, b64encode

import pytest

from jobs.webhooks.signing import is_genuine, key_of, secret_of, signature, signed_headers

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = secret_of(b"salt", "pepper")
ID, AT, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'


def test_a_signature_is_the_one_of_the_specifications_own_libraries() -> None:
    assert signature(SECRET, ID, AT, BODY) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_is_of_as_many_bytes_as_the_specification_allows() -> None:
    assert OTHER.startswith("whsec_")
    assert len(b64decode(OTHER.removeprefix("whsec_"))) == 32


@pytest.mark.parametrize("size", [23, 65])
def test_a_key_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"this one {size}"):
        key_of("whsec_" + b64encode(bytes(size)).decode())


def test_salt_and_pepper_both_make_the_secret() -> None:
    assert len({OTHER, secret_of(b"salt", "another"), secret_of(b"another", "pepper")}) == 3


def test_two_secrets_make_two_signatures_with_a_space_between() -> None:
    headers = signed_headers([SECRET, OTHER], webhook_id=ID, timestamp=AT, body=BODY)
    assert headers == {
        "webhook-id": ID,
        "webhook-timestamp": str(AT),
        "webhook-signature": f"{signature(SECRET, ID, AT, BODY)} {signature(OTHER, ID, AT, BODY)}",
    }


@pytest.mark.parametrize("secret", [SECRET, OTHER])
def test_whoever_has_either_secret_finds_it_genuine(secret: str) -> None:
    headers = signed_headers([SECRET, OTHER], webhook_id=ID, timestamp=AT, body=BODY)
    assert is_genuine(headers, BODY, secret=secret, now_s=AT + 200)


@pytest.mark.parametrize(
    ("change", "body", "now_s"),
    [
        ({"webhook-id": "msg_other"}, BODY, AT),
        ({"webhook-timestamp": str(AT + 1)}, BODY, AT),
        ({"webhook-timestamp": "soon"}, BODY, AT),
        ({"webhook-timestamp": "١"}, BODY, AT),
        ({"webhook-signature": "v1,AAAA"}, BODY, AT),
        ({"webhook-signature": ""}, BODY, AT),
        ({}, BODY + b" ", AT),
        ({}, BODY, AT + 301),
        ({}, BODY, AT - 301),
    ],
)
def test_whatever_is_changed_or_old_is_not_genuine(change: dict[str, str], body: bytes, now_s: float) -> None:
    headers = signed_headers([SECRET], webhook_id=ID, timestamp=AT, body=BODY)
    assert is_genuine(headers, BODY, secret=SECRET, now_s=AT)
    assert not is_genuine({**headers, **change}, body, secret=SECRET, now_s=now_s)
