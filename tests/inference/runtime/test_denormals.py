import platform

import numpy as np
import pytest

from inference.runtime.hosted_session import denormals_flushed

TINY = np.full(8, 1e-40, np.float32)


def product() -> float:
    return float((TINY * np.float32(1.0)).max())


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the control word is that of x86-64")
def test_tiny_numbers_are_zero_inside_the_block_and_only_there() -> None:
    assert product() > 0.0
    with denormals_flushed():
        assert product() == 0.0
    assert product() > 0.0


def test_the_state_is_put_back_when_the_block_fails() -> None:
    with pytest.raises(ZeroDivisionError), denormals_flushed():
        raise ZeroDivisionError
    assert product() > 0.0
