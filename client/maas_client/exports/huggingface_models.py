"""The export of directories of Hugging Face transformers: encoders and classifiers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch import nn

from maas_client.exports.errors import CannotExport
from maas_client.exports.torch_graphs import Original

KINDS = {
    "ForSequenceClassification": "AutoModelForSequenceClassification",
    "ForTokenClassification": "AutoModelForTokenClassification",
    "ForQuestionAnswering": "AutoModelForQuestionAnswering",
    "ForMaskedLM": "AutoModelForMaskedLM",
    "ForImageClassification": "AutoModelForImageClassification",
}
"""The classes that load an architecture, by the end of its name."""
OUTPUTS = ("logits", "start_logits", "end_logits", "last_hidden_state", "pooler_output")
SHAPES = ((2, 16), (1, 7), (4, 33))
"""The number of rows and tokens of each case."""


@dataclass(frozen=True)
class Kind:
    loader: Any
    labels: Mapping[str, str]


class Named(nn.Module):  # type: ignore[misc]  # torch is no dependency of the development environment
    """The model with tensors as inputs and outputs."""

    def __init__(self, model: Any, names: Sequence[str]) -> None:
        super().__init__()
        self.model = model
        self.names = tuple(names)

    def forward(self, *inputs: torch.Tensor) -> dict[str, torch.Tensor]:
        answer = self.model(**dict(zip(self.names, inputs, strict=True)), return_dict=True)
        return {name: answer[name] for name in OUTPUTS if answer.get(name) is not None}


def original(directory: Path) -> Original:
    if not (directory / "config.json").is_file():
        raise CannotExport(f"{directory} is no directory of transformers: there is no config.json in it.")
    config = _config(directory)
    kind = _kind(config)
    model = _model(kind, directory)
    cases = [_case(model, rows, tokens) for rows, tokens in SHAPES]
    names = list(cases[0])
    dynamic = {name: (0,) if name == "pixel_values" else (0, 1) for name in names}
    what = "images" if names == ["pixel_values"] else "texts of tokens"
    return Original(
        Named(model, names).eval(), cases, dynamic, f"{len(cases)} batches of generated {what}", kind.labels
    )


def _config(directory: Path) -> Any:
    try:
        return transformers.AutoConfig.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        raise CannotExport(f"The config.json of {directory} cannot be used: {error}") from error


def _kind(config: Any) -> Kind:
    architecture = (config.architectures or [""])[0]
    if config.is_encoder_decoder:
        raise CannotExport(
            f"{architecture} is an encoder with a decoder. Only encoders and classifiers can be exported."
        )
    loader = next((loader for ending, loader in KINDS.items() if architecture.endswith(ending)), None)
    if loader is None and architecture == _plain(config):
        loader = "AutoModel"
    if loader is None:
        raise CannotExport(
            f"config.json names the architecture {architecture or 'none'}. Plain encoders can be exported, and "
            f"architectures that end in {', '.join(KINDS)}."
        )
    labels = {"architecture": architecture, "transformers": transformers.__version__}
    if "Classification" in architecture and config.id2label:
        classes = [str(config.id2label[number]) for number in sorted(config.id2label)]
        labels["classes"] = json.dumps(classes, ensure_ascii=False)
    return Kind(getattr(transformers, loader), labels)


def _plain(config: Any) -> str | None:
    """Return the name of the class without a task, such as BertModel."""
    try:
        return str(transformers.AutoModel._model_mapping[type(config)].__name__)
    except KeyError:
        return None


def _model(kind: Kind, directory: Path) -> Any:
    try:
        return kind.loader.from_pretrained(directory, local_files_only=True, trust_remote_code=False).float().eval()
    except (OSError, ValueError, RuntimeError) as error:
        raise CannotExport(f"The weights in {directory} cannot be loaded: {error}") from error


def _case(model: Any, rows: int, tokens: int) -> dict[str, torch.Tensor]:
    draw = np.random.default_rng(rows)
    if model.main_input_name == "pixel_values":
        config = model.config
        size = config.image_size if isinstance(config.image_size, int) else config.image_size[0]
        shape = (rows, getattr(config, "num_channels", 3), size, size)
        return {"pixel_values": torch.from_numpy(draw.normal(size=shape).astype(np.float32))}
    if model.main_input_name != "input_ids":
        raise CannotExport(f"The model takes {model.main_input_name}. Only token ids and images can be exported.")
    return _texts(model, draw, rows, tokens)


def _texts(model: Any, draw: np.random.Generator, rows: int, tokens: int) -> dict[str, torch.Tensor]:
    """Return random token ids, padded to the length of the longest row as a tokenizer does."""
    config = model.config
    padding = getattr(config, "pad_token_id", None) or 0
    ids = draw.integers(0, config.vocab_size, (rows, tokens))
    ids[ids == padding] = (padding + 1) % config.vocab_size
    lengths = draw.integers(2, tokens + 1, rows)
    lengths[0] = tokens
    mask = (np.arange(tokens) < lengths[:, None]).astype(np.int64)
    inputs = {"input_ids": np.where(mask == 1, ids, padding), "attention_mask": mask}
    if getattr(config, "type_vocab_size", 0) > 1:
        inputs["token_type_ids"] = np.zeros_like(ids)
    return {name: torch.from_numpy(array.astype(np.int64)) for name, array in inputs.items()}
