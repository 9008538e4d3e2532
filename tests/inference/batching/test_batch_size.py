from inference.batching.batch_size import TRY_AGAIN_AFTER, BatchSize


def test_until_a_batch_fails_whole_only_the_limits_count() -> None:
    size = BatchSize()
    size.ran(500)
    assert size.of(64) == 64


def test_batches_are_no_larger_than_the_parts_that_ran() -> None:
    size = BatchSize()
    size.failed_whole(16)
    assert size.of(64) == 16


def test_larger_batches_are_tried_again_after_a_while_up_to_the_limits() -> None:
    size = BatchSize()
    size.failed_whole(16)
    for _ in range(TRY_AGAIN_AFTER):
        size.ran(3)
        assert size.of(64) == 16
        size.ran(16)
    assert size.of(64) == 32
    for _ in range(TRY_AGAIN_AFTER):
        size.ran(32)
    assert (size.of(64), size.max_rows) == (64, None)
