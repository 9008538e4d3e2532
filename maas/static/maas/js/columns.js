// Runs before the first paint, so that hidden columns of the list never flash.
{
  let hidden = "sender";
  try {
    hidden = localStorage.getItem("hidden-columns") ?? hidden;
  } catch {
    // Without storage, the usual columns are shown.
  }
  document.documentElement.dataset.hiddenColumns = hidden;
}
