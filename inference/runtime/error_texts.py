"""Error messages of ONNX Runtime without source locations and host names, which no caller needs."""

import re

MAX_CHARACTERS = 2000
_SOURCE = re.compile(
    r"(?:[A-Za-z]:\\|/)?[^\s:='\"]*\w\.(?:cc|cpp|cxx|c|h|hpp|cu|cuh):\d+:?\s*(?:\w+(?= [A-Z]))?\s*"
)
_SIGNATURE = re.compile(r"[>\w:~<*&,\[\] ]*[\w>~]\(")
_AFTER_SIGNATURE = re.compile(r"\)(?: const)?(?: noexcept)?(?: \[with [^\]]*\])?:?\s*")
_OF_A_DEVICE = re.compile(r"\s*;\s*(?:hostname|file|line|expr)=[^;]*")


_GPU_IS_FULL = re.compile(
    r"Failed to allocate memory|out of memory|CUBLAS failure 3:|CUDNN_STATUS_ALLOC_FAILED"
)


def gpu_was_full(said: str) -> bool:
    """Return whether other processes filled the GPU. If so, a later attempt may find free memory. If the session's own
    limit was reached, it will not.
    """
    return _GPU_IS_FULL.search(said) is not None


def plain_words(said: str) -> str:
    parts: list[str] = []
    rest = _OF_A_DEVICE.sub("", said[:MAX_CHARACTERS])
    while found := _SOURCE.search(rest):
        parts.append(rest[: found.start()])
        rest = _without_signature(rest[found.end() :])
    return "".join([*parts, rest]).strip(" ;\n")


def _without_signature(said: str) -> str:
    """Remove a function's name with its parameters that follows a source location."""
    begins = _SIGNATURE.match(said)
    if begins is None:
        return said
    depth = 0
    for place in range(begins.end() - 1, len(said)):
        depth += {"(": 1, ")": -1}.get(said[place], 0)
        if depth == 0:
            if said[place + 1 : place + 2] == ">":
                # The parentheses belonged to a type in the function's name.
                return _without_signature(said[place + 1 :])
            ends = _AFTER_SIGNATURE.match(said, place)
            return said[ends.end() :] if ends is not None else said[place + 1 :]
    return said
