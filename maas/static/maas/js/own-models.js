// Entry of the pages of own models: looks up moments in the reader's zone.
const moment = document.querySelector("#moment");

if (moment) watchMoment();

function watchMoment() {
  const { at, offset } = moment.elements;
  moment.querySelector("#zone").textContent = "(your time)";
  moment.addEventListener("submit", () => (offset.value = new Date(at.value).getTimezoneOffset()));
}
