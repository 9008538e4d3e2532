"""Generate pages of documents with all that is true of them, for benchmarks and for fitting."""

from tests.benchmarks.documents.degrade import degrade
from tests.benchmarks.documents.generation import generate
from tests.benchmarks.documents.photograph import photograph
from tests.benchmarks.documents.truth import GeneratedPage, TruthBlock, TruthLine, Word

__all__ = ["GeneratedPage", "TruthBlock", "TruthLine", "Word", "degrade", "generate", "photograph"]
