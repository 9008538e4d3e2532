"""Signs a person in through the page, as a browser does."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from .product import Account, Product

_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@contextmanager
def signed_in(product: Product, account: Account) -> Iterator[httpx.Client]:
    """Yield a client with the session's cookies."""
    url = product.running.url
    with httpx.Client(base_url=url, timeout=60, trust_env=False, follow_redirects=True) as browser:
        _sign_in(browser, account)
        yield browser


def _sign_in(browser: httpx.Client, account: Account) -> None:
    token = _TOKEN.search(browser.get("/sign-in").text)
    assert token is not None
    form = {"csrfmiddlewaretoken": token[1], "username": account.email, "password": account.password}
    answer = browser.post("/sign-in", data=form, headers={"Referer": str(browser.base_url)})
    assert answer.url.path == "/jobs", answer.text[:500]
