"""Files that exporters of other libraries wrote: skl2onnx 1.20 and onnxmltools 1.16, for estimators of two columns."""

from pathlib import Path

FOLDER = Path(__file__).with_name("exported_models")
TWO_TARGETS = FOLDER / "two_targets.onnx"
"""A RandomForestRegressor for two targets. It declares [-1, 1], and answers two numbers for each row."""
LIGHTGBM_CLASSES = FOLDER / "lightgbm_classes.onnx"
"""A classifier of LightGBM. It declares one label, and answers one for each row."""
ZIPMAP = FOLDER / "zipmap.onnx"
"""A LogisticRegression that was exported without options, so that its probabilities are dictionaries."""
LIST_OF_TENSORS = FOLDER / "list_of_tensors.onnx"
"""A MultiOutputClassifier, whose probabilities are a list of tensors."""
TEXTS = FOLDER / "texts.onnx"
"""A TfidfVectorizer before a LogisticRegression, with the tokenizer of ONNX Runtime."""
