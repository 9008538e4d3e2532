"""Advice to the owner of a refused model, by the code of the refusal. Pure."""

from collections.abc import Mapping

from inference.registry.admission import ModelRefused

_ADVICE: Mapping[str, str] = {
    "custom_config_forbidden": "Remove the metadata 'ort_config' and export the model again.",
    "external_data_forbidden": "Save the model as one file with its weights inside, for example with "
    "onnx.save_model(model, path, save_as_external_data=False).",
    "model_corrupt": "Export the model to ONNX again and check the file with onnx.checker.check_model.",
    "model_crashed": "Run the file in ONNX Runtime yourself. Export it with another opset if it crashes there too.",
    "model_empty": "Check that the file is the exported ONNX model.",
    "model_invalid": "Run the file in ONNX Runtime yourself, and mend what it reports.",
    "model_out_of_memory": "Use a smaller model, smaller fixed input sizes, or a variant in lower precision.",
    "model_timeout": "Remove loops that run long, or use a smaller model.",
    "model_too_deep": "Export the model without deeply nested control flow.",
    "model_too_large": "Use a smaller model or a lower precision, or ask the operator for a higher limit.",
    "model_too_large_expanded": "Export the model with its functions written out and without generated weights.",
    "pipeline_invalid": "Correct the declaration and upload it again.",
    "operator_not_allowed": "Export the model with standard ONNX operators only.",
    "signature_not_supported": "Export the model with tensors as inputs and outputs, of known rank and type.",
    "tensor_data_mismatch": "Export the model again: the named tensor does not hold the data that it declares.",
    "training_info_forbidden": "Export the model for inference.",
}


def refusal_json(refused: ModelRefused) -> dict[str, str]:
    """Return the reason of a refusal: its code, what was wrong, the node if there is one, and what to do."""
    node = {"node": refused.node} if refused.node else {}
    advice = refused.advice or _ADVICE.get(refused.code, "Mend what is named and upload the file again.")
    return {"code": refused.code, "detail": refused.detail, **node, "what_to_do": advice}
