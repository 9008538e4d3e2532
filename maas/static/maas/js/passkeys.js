// Lets the browser create or use a passkey for the form that asks for it.

const options = () => JSON.parse(document.getElementById("passkey-options").textContent);
const known = window.PublicKeyCredential?.parseRequestOptionsFromJSON;

const WORDS = {
  NotAllowedError: "Canceled or timed out. Try again.",
  InvalidStateError: "This device already has a passkey for this service.",
  SecurityError: "Passkeys do not work with an IP address. Open the service by its host name.",
};

async function ask(form) {
  if (form.dataset.passkey === "create") {
    const { publicKey } = options().creation_options;
    // It also replaces the password, so it is stored on the device and needs a fingerprint, face or PIN.
    Object.assign(publicKey.authenticatorSelection, { residentKey: "required", requireResidentKey: true, userVerification: "required" });
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) });
  }
  const found = form.dataset.options
    ? await (await fetch(form.dataset.options, { headers: { Accept: "application/json" } })).json()
    : options();
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(found.request_options.publicKey) });
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const said = form.querySelector("[data-said]");
  const button = form.querySelector("button");
  form.hidden = !known;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.hidden = true;
    button.disabled = true;
    try {
      form.elements.credential.value = JSON.stringify(await ask(form));
      // Submits without an event, so that this listener does not run again.
      form.submit();
    } catch (error) {
      said.textContent = WORDS[error.name] ?? "The browser could not use a passkey. Try again.";
      said.hidden = false;
      button.disabled = false;
    }
  });
}
for (const words of document.querySelectorAll("[data-no-passkeys]")) words.hidden = Boolean(known);
