// Finds a leaked key that is pasted. The secret is removed from the field before it could enter a URL.
const SECRET = /(maas_(?:live|test)_(?:[a-z][a-z0-9-]{0,15}_)?[0-9A-Za-z]{12})_[0-9A-Za-z]*/g;

document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.name !== "q") return;
  const shown = target.value.replace(SECRET, "$1");
  if (shown !== target.value) target.value = shown;
});
