"""Test what becomes of a page whose document says itself what it consists of."""

from typing import Any

from inference.core.contracts import PageInput, PageItem
from inference.pipelines.operations.items import LAY_OUT_ITEMS


def laid_out(*items: PageItem, unread_pictures: int = 0) -> dict[str, Any]:
    page = PageInput(1, 0, 0, (), None, items=items, unread_pictures=unread_pictures)
    found: dict[str, Any] = LAY_OUT_ITEMS.run({"page": page}, {})
    return found


def test_page_without_pictures_has_no_warning() -> None:
    found = laid_out(PageItem("heading", "Offer", 1), PageItem("paragraph", "Dear Ms. Smith"))
    assert found["text"] == "Offer\n\nDear Ms. Smith"
    assert (found["warnings"], found["needs_review"]) == ([], False)


def test_pictures_that_were_not_read_are_counted_in_a_warning() -> None:
    found = laid_out(PageItem("paragraph", "Text"), unread_pictures=3)
    (warning,) = found["warnings"]
    assert warning["code"] == "picture_unread"
    assert warning["message"].startswith("3 pictures on the page were not read.")
    assert not found["needs_review"]


def test_page_that_has_nothing_but_a_picture_needs_review() -> None:
    found = laid_out(unread_pictures=1)
    assert found["warnings"][0]["message"].startswith("A picture on the page was not read.")
    assert found["needs_review"]
