"""Limits on the size of what one caller sends, and on its unfinished jobs. Rates are counted elsewhere."""

from dataclasses import dataclass

MAX_DAYS = 36_500
"""The longest time in days that anything is kept, unless it is kept forever."""


@dataclass(frozen=True)
class EffectiveLimits:
    """The limits of a caller, each from the nearest of tenant, plan and installation. None means unlimited."""

    upload_bytes: int
    document_pages: int
    page_pixels: int
    inline_bytes: int
    own_model_bytes: int
    """The largest file of a model of the account's own."""
    unfinished_jobs: int | None = None

    def tightened(self, other: "EffectiveLimits") -> "EffectiveLimits":
        def least(one: int | None, two: int | None) -> int | None:
            limits = [value for value in (one, two) if value is not None]
            return min(limits) if limits else None

        return EffectiveLimits(
            upload_bytes=min(self.upload_bytes, other.upload_bytes),
            document_pages=min(self.document_pages, other.document_pages),
            page_pixels=min(self.page_pixels, other.page_pixels),
            inline_bytes=min(self.inline_bytes, other.inline_bytes),
            own_model_bytes=min(self.own_model_bytes, other.own_model_bytes),
            unfinished_jobs=least(self.unfinished_jobs, other.unfinished_jobs),
        )
