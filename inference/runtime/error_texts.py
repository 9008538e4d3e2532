"""Error messages of ONNX Runtime without source locations and host names, which no caller needs."""

import re

MAX_CHARACTERS = 4000
MAX_LOCATIONS = 20
"""The most locations that are removed. ONNX Runtime names a few; a file may have chosen the others."""
_ENDINGS = "cc|cpp|cxx|c|h|hpp|cu|cuh"
# A path begins behind one of the first signs alone, so that a text is read once, however hostile it is.
_SOURCE = re.compile(rf"(?<![^\s:='\"])(?:[A-Za-z]:\\|/)?[^\s:='\"]*\w\.(?:{_ENDINGS}):\d+:?\s*(?:\w+(?= [A-Z]))?\s*")
_SIGNATURE = re.compile(r"[>\w:~<*&,\[\] ]*[\w>~]\(")
_AFTER_SIGNATURE = re.compile(r"\)(?: const)?(?: noexcept)?(?: \[with [^\]]*\])?:?\s*")
_OF_A_DEVICE = re.compile(r"\s*;\s*(?:hostname|file|line|expr)=[^;]*")
_GPU_IS_FULL = re.compile(r"Failed to allocate memory|out of memory|CUBLAS failure 3:|CUDNN_STATUS_ALLOC_FAILED")


def gpu_was_full(message: str) -> bool:
    """Return whether other processes filled the GPU. If so, a later attempt may find free memory. If the session's own
    limit was reached, it will not.
    """
    return _GPU_IS_FULL.search(message) is not None


def plain_words(message: str) -> str:
    parts: list[str] = []
    rest = _OF_A_DEVICE.sub("", message[:MAX_CHARACTERS])
    for _ in range(MAX_LOCATIONS):
        found = _SOURCE.search(rest)
        if found is None:
            break
        parts.append(rest[: found.start()])
        rest = _without_signature(rest[found.end() :])
    return "".join([*parts, rest]).strip(" ;\n")


def _without_signature(message: str) -> str:
    """Remove a function's name with its parameters that follows a source location."""
    begins = _SIGNATURE.match(message)
    if begins is None:
        return message
    depth = 0
    for position in range(begins.end() - 1, len(message)):
        depth += {"(": 1, ")": -1}.get(message[position], 0)
        if depth == 0:
            if message[position + 1 : position + 2] == ">":
                # The parentheses belonged to a type in the function's name.
                return _without_signature(message[position + 1 :])
            ends = _AFTER_SIGNATURE.match(message, position)
            return message[ends.end() :] if ends is not None else message[position + 1 :]
    return message
