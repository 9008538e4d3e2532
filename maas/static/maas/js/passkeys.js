// Lets the browser make a passkey, or show one, for the form that asks for it.

const options = () => JSON.parse(document.getElementById("passkey-options").textContent);
const known = window.PublicKeyCredential?.parseRequestOptionsFromJSON;

const WORDS = {
  NotAllowedError: "Nothing came of it: it was canceled, or took too long.",
  InvalidStateError: "This device has a passkey for you here already.",
  SecurityError: "Passkeys do not work at this address. Open the service by a name, not by a number.",
};

async function ask(form) {
  if (form.dataset.passkey === "create") {
    const { publicKey } = options().creation_options;
    // It stands for the password too, so it is kept on the device, and asks for finger, face or PIN.
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
      // Without the event that leads here.
      form.submit();
    } catch (error) {
      said.textContent = WORDS[error.name] ?? "The browser could not do it.";
      said.hidden = false;
      button.disabled = false;
    }
  });
}
for (const words of document.querySelectorAll("[data-no-passkeys]")) words.hidden = Boolean(known);
