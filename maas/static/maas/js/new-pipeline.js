// The declaration of a new pipeline: reads the roles of its steps, and asks for a model for each.

/** Shows a field for each role of the declaration, now and whenever it changes. */
export function watchPipeline(form, suggestName) {
  const { pipeline } = form.elements;
  const example = form.querySelector("#example");
  const show = () => {
    example.hidden = pipeline.value !== "";
    showRoles(form);
  };
  const replace = (text) => {
    pipeline.value = text;
    takeMembers(form);
    show();
    pipeline.focus();
    pipeline.setSelectionRange(0, 0);
    pipeline.scrollTop = 0;
  };
  pipeline.addEventListener("input", show);
  pipeline.addEventListener("change", () => takeMembers(form));
  addEventListener("pageshow", show);
  example.addEventListener("click", () => replace(form.querySelector("#example-pipeline").content.textContent));
  const file = form.querySelector("#pipeline-file");
  file.addEventListener("change", async () => {
    if (!file.files.length) return;
    suggestName(file.files[0].name);
    replace(await file.files[0].text());
    file.value = "";
  });
}

/** Returns the chosen models by role. */
export function members(form) {
  return Object.fromEntries(fields(form).map((input) => [input.dataset.role, input.value.trim()]));
}

const fields = (form) => [...form.querySelectorAll("#members input")];

/** Moves members that stand in the declaration to their fields, as in a file for `maas models push`. */
function takeMembers(form) {
  const { members: given, ...declared } = parsed(form) ?? {};
  if (typeof given !== "object" || given === null) return;
  form.elements.pipeline.value = JSON.stringify(declared, null, 2);
  showRoles(form, given);
}

function showRoles(form, given = {}) {
  const declared = parsed(form);
  // While the text is not whole, the fields stay as they are.
  if (declared === null) return;
  const values = { ...members(form), ...given };
  const roles = [...new Set(rolesOf(declared.steps))];
  form.querySelector("#member-hint").hidden = !roles.length;
  if (roles.join("\n") !== fields(form).map(({ dataset }) => dataset.role).join("\n")) {
    form.querySelector("#members").replaceChildren(...roles.map((role, place) => field(form, role, place)));
  }
  for (const input of fields(form)) {
    const value = values[input.dataset.role];
    if (typeof value === "string") input.value = value;
  }
}

/** Returns the object in the text, which is empty for no text, or null while the text is no JSON object. */
function parsed(form) {
  const text = form.elements.pipeline.value;
  if (!text.trim()) return {};
  try {
    const found = JSON.parse(text);
    return typeof found === "object" ? found : null;
  } catch {
    return null;
  }
}

function* rolesOf(steps) {
  for (const step of Array.isArray(steps) ? steps : []) {
    if (step?.kind === "model" && typeof step.role === "string") yield step.role;
    for (const side of [step?.then, step?.else]) yield* rolesOf(side?.steps);
  }
}

function field(form, role, place) {
  const made = form.querySelector("#member").content.firstElementChild.cloneNode(true);
  const label = made.querySelector("label");
  const input = made.querySelector("input");
  label.textContent = `Model for ${role}`;
  input.id = label.htmlFor = `member-${place}`;
  input.dataset.role = role;
  return made;
}
