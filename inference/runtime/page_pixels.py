"""The picture of a page as a model's input."""

from inference.core.contracts import PageInput, Pixels, WorkInput, WorkRefused


def page_pixels(work: WorkInput) -> Pixels:
    if not isinstance(work, PageInput):
        raise WorkRefused("input_not_accepted", "this model reads pages of documents, not text or tensors")
    if work.load_pixels is None:
        raise WorkRefused("input_not_accepted", "the page is plain text and has no image to read")
    return work.load_pixels()
