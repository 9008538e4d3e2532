// Takes files that are chosen, dropped anywhere on the page (folders too), or pasted.

const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
// Files that operating systems add to folders.
const NOT_A_PERSONS = /^(\.|Thumbs\.db$|desktop\.ini$)/i;

/** Calls `take(files)`. `overlay` is shown while files are dragged over the page. */
export function watchDrops(overlay, take) {
  document.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    overlay.hidden = false;
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!relatedTarget) overlay.hidden = true;
  });
  document.addEventListener("drop", async (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    overlay.hidden = true;
    take(await droppedFiles(event.dataTransfer));
  });
}

export function watchPaste(take) {
  document.addEventListener("paste", ({ clipboardData }) => {
    const files = [...(clipboardData?.files ?? [])];
    if (files.length) take(files.map(named));
  });
}

// A picture from the clipboard always has the same name.
function named(file) {
  if (file.name && file.name !== "image.png") return file;
  const moment = new Date().toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return new File([file], `Pasted ${moment}.png`, { type: file.type });
}

// The entries must be read before the first await, because the browser discards them afterwards.
async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  return (await Promise.all(entries.map(filesIn))).flat();
}

async function filesIn(entry) {
  if (NOT_A_PERSONS.test(entry.name)) return [];
  if (entry.isFile) return [await new Promise((done, fail) => entry.file(done, fail))];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return found;
    found.push(...(await Promise.all(some.map(filesIn))).flat());
  }
}
