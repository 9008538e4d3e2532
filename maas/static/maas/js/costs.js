// Formats the server's estimates of what processing documents would cost.
import { exactMoney, roundedMoney } from "./money.js";
import { postJson } from "./requests.js";

const EXAMPLE_PAGES = 20;
const UNITS = { page: "pages", call: "calls", gpu_second: "milliseconds of computing" };
/** Meters whose amount is known only after processing. */
const KNOWN_AFTERWARDS = ["token"];

/** Tells whether the number of pages determines the cost. */
export const isTold = (meter) => !KNOWN_AFTERWARDS.includes(meter);

export const askCost = (address, model, amount, signal) => postJson(address, { model, ...amount }, {}, signal);

/** Returns the text below the form for a model: `words`, with the exact cost as title. */
export async function example(address, model, meter, signal) {
  if (!isTold(meter)) return { words: "The price of a document is known only after processing, when its tokens are counted.", exact: "" };
  const found = await askCost(address, model, { pages: EXAMPLE_PAGES }, signal);
  return { words: exampleWords(found), exact: exactCost(found) };
}

function exampleWords(found) {
  if (!found.cost.amount_micros) return "Processing is free of charge.";
  const left = found.included.quantity + found.included.remaining;
  const cost = found.amount_due.amount_micros ? due(found) : "nothing";
  const words = `A document of ${EXAMPLE_PAGES} pages costs ${cost} now.`;
  if (!left) return words;
  return `${words} Your plan includes ${left.toLocaleString("en")} more ${UNITS[found.meter]} this month.`;
}

/** Formats the cost of a known number of pages. */
export function costWords(pages, found) {
  const counted = pages === 1 ? "1 page" : `${pages.toLocaleString("en")} pages`;
  const { included, amount_due: amountDue } = found;
  if (!found.cost.amount_micros) return `${counted}, free of charge`;
  if (!amountDue.amount_micros) return `${counted}, included in your plan`;
  const part = included.quantity && found.meter !== "gpu_second" ? `; ${included.quantity.toLocaleString("en")} of them included in your plan` : "";
  return `${counted}, ${due(found)}${part}`;
}

/** Returns an empty string if there is nothing to pay. */
export const exactCost = (found) => (found.amount_due.amount_micros ? exactMoney(found.amount_due) : "");

function due(found) {
  const isBound = found.is_maximum || cachedIsCheaper(found);
  return `${isBound ? "at most " : ""}${roundedMoney(found.amount_due, { up: isBound })}`;
}

// Pages read before may be cached, and cost less then.
const cachedIsCheaper = ({ price, cached_price: cached }) => cached.amount_micros * price.per < price.amount_micros * cached.per;
