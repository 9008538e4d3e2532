// Converts the form into a request to the API.
import { Refused } from "./playground-requests.js";

/** Returns `body` and `headers` of the request, its approximate `bytes`, and a `key` that is equal for equal calls. */
export function submissionOf({ model, kind, value, file, parameters, priority }) {
  return kind === "document" ? form(model, file, parameters, priority) : json(model, kind, value, parameters, priority);
}

function form(model, file, parameters, priority) {
  if (!file) throw new Refused("document_empty", "Choose a file first or use the sample scan.");
  const body = new FormData();
  body.append("model", model);
  body.append("parameters", JSON.stringify(parameters));
  body.append("priority", priority);
  body.append("file", file);
  const key = JSON.stringify([model, file.name, file.size, file.lastModified, parameters, priority]);
  return { body, headers: {}, bytes: file.size, key };
}

// Tensors are sent as typed, because JavaScript's numbers would lose digits of large ones.
function json(model, kind, value, parameters, priority) {
  const input = kind === "tensors" ? `{"tensors": ${checked(value)}}` : JSON.stringify(value);
  const body = `{"model": ${JSON.stringify(model)}, "input": ${input}, "parameters": ${JSON.stringify(parameters)}, "priority": ${JSON.stringify(priority)}}`;
  return { body, headers: { "Content-Type": "application/json" }, bytes: body.length, key: body };
}

function checked(written) {
  try {
    JSON.parse(written);
  } catch (error) {
    throw new Refused("invalid_tensor", `This is not JSON: ${error.message}.`);
  }
  return written;
}
