// Small tensors as one line per row: the fields are written into the JSON that is sent, and changes of it back.

const json = document.getElementById("tensors");
const fields = [...document.querySelectorAll("[data-tensor]")];
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

export function watchTensors() {
  if (!fields.length) return;
  for (const field of fields) field.addEventListener("input", writeJson);
  json.addEventListener("input", writeFields);
  // The browser may restore what was typed when the page is loaded again.
  writeJson();
}

function writeJson() {
  json.value = `[\n${fields.map((field) => tensorOf(field)).join(",\n")}\n]`;
}

function tensorOf(field) {
  const { tensor, datatype, rank } = field.dataset;
  const rows = rowsOf(field.value, datatype);
  const values = rows.flat().map((value) => valueOf(value, datatype));
  const shape = [[], [values.length], [rows.length, rows[0]?.length ?? 0]][rank];
  return `  {"name": ${JSON.stringify(tensor)}, "datatype": "${datatype}", "shape": ${JSON.stringify(shape)}, "data": [${values.join(", ")}]}`;
}

function rowsOf(text, datatype) {
  const lines = text.split("\n").filter((line) => line.trim());
  return lines.map((line) => (datatype === "BYTES" ? [line] : line.trim().split(/[\s,;]+/).filter(Boolean)));
}

// Numbers are sent as typed, because JavaScript would change long ones. What is none is left for the server to refuse.
function valueOf(value, datatype) {
  if (datatype === "BOOL" && /^(true|false|0|1)$/i.test(value)) return String(/^(true|1)$/i.test(value));
  if (datatype !== "BYTES" && NUMBER.test(value)) return normal(value);
  return JSON.stringify(value);
}

// JSON has no leading plus sign, zeros or points.
const normal = (value) => value.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1").replace(/^(-?)\./, "$10.").replace(/\.(?=e|$)/i, "");

function writeFields() {
  let tensors;
  try {
    tensors = JSON.parse(json.value);
  } catch {
    return;
  }
  for (const { name, shape, data } of Array.isArray(tensors) ? tensors : []) {
    const field = fields.find(({ dataset }) => dataset.tensor === name);
    if (!field || !Array.isArray(data)) continue;
    const columns = field.dataset.datatype === "BYTES" ? 1 : Math.max(1, shape?.at?.(-1) ?? 1);
    const rows = [];
    for (let at = 0; at < data.length; at += columns) rows.push(data.slice(at, at + columns).join(", "));
    field.value = rows.join("\n");
  }
}
