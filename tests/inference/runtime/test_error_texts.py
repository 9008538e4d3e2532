import pytest

from inference.runtime.error_texts import gpu_was_full, plain_words

ARENA = (
    "/onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:360 void*"
    " onnxruntime::BFCArena::AllocateRawInternal(size_t, bool, onnxruntime::Stream*)"
)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        (f"Status Message: {ARENA} Failed to allocate memory", "Status Message: Failed to allocate memory"),
        (f"{ARENA} one; then {ARENA} two", "one; then two"),
        (
            "FAIL : tensor.cc:57 CalculateTensorStorageSize Tensor shape.Size() must be >= 0",
            "FAIL : Tensor shape.Size() must be >= 0",
        ),
        ("/a/b.h:12 bool f(int) const [with T = float; U = int] bad (3)", "bad (3)"),
        ("/a/b.cc:12 std::function<T(int)> f(int) bad", "bad"),
        ("D:\\a\\b.cc:7 f() bad", "bad"),
        ("/a/b.cc:7 no signature", "no signature"),
        ("/a/b.cc:7 never(ends", "never(ends"),
        (
            "CUDA failure 2: out of memory ; GPU=0 ; hostname=box ; file=/s/cuda_call.cc ; line=43 ; expr=f(p, n);",
            "CUDA failure 2: out of memory ; GPU=0",
        ),
        ("indices out of data bounds, idx=9", "indices out of data bounds, idx=9"),
    ],
)
def test_a_caller_reads_what_went_wrong_and_nothing_of_the_sources(said: str, plain: str) -> None:
    assert plain_words(said) == plain


@pytest.mark.parametrize(
    ("said", "full"),
    [
        (
            f"Exception during initialization: {ARENA} Failed to allocate memory for requested buffer of size 9",
            True,
        ),
        ("CUBLAS failure 3: the resource allocation failed ; GPU=0 ; hostname=vm", True),
        ("CUDA failure 2: out of memory ; GPU=0", True),
        (f"{ARENA} Available memory of 1 is smaller than requested bytes of 9", False),
        ("Load model failed: Protobuf parsing failed.", False),
    ],
)
def test_a_gpu_that_others_have_filled_is_told_from_a_file_that_cannot_be_loaded(said: str, full: bool) -> None:
    assert gpu_was_full(said) == full
