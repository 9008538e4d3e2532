// What reading documents would cost, as the server estimates it, in words.
import { postJson } from "./requests.js";

const EXAMPLE_PAGES = 20;
const UNITS = { page: "pages", call: "calls", gpu_second: "milliseconds of computing" };
/** Of these the amount is known only once a document has been read. */
const KNOWN_AFTERWARDS = ["token"];

/** Whether the number of pages says what a document costs. */
export const isTold = (meter) => !KNOWN_AFTERWARDS.includes(meter);

export const askCost = (address, model, amount, signal) => postJson(address, { model, ...amount }, {}, signal);

/** What stands below the form for a model, whatever will be sent. */
export async function exampleWords(address, model, meter, signal) {
  if (!isTold(meter)) return "What a document costs is known only once it has been read: nobody can count its tokens before.";
  const found = await askCost(address, model, { pages: EXAMPLE_PAGES }, signal);
  if (!found.cost.amount_micros) return "Reading costs nothing.";
  const left = found.included.quantity + found.included.left;
  const words = `A document of ${EXAMPLE_PAGES} pages costs ${atMost(found)}${money(found.to_pay)} now.`;
  if (!left) return words;
  return `${words} Your plan pays for ${left.toLocaleString("en")} more ${UNITS[found.meter]} this month.`;
}

/** For so many pages that are known. */
export function costWords(pages, found) {
  const counted = pages === 1 ? "1 page" : `${pages.toLocaleString("en")} pages`;
  const { included, to_pay: due } = found;
  if (!found.cost.amount_micros) return `${counted}, which cost nothing`;
  if (!due.amount_micros) return `${counted}, which your plan pays for`;
  const part = included.quantity && found.meter !== "gpu_second" ? `; your plan pays for ${included.quantity.toLocaleString("en")} of them` : "";
  return `${counted}, ${atMost(found)}${money(due)}${part}`;
}

const atMost = (found) => (found.at_most || cachedIsCheaper(found) ? "at most " : "");

// What was read before may be known, and costs less then.
const cachedIsCheaper = ({ price, cached_price: cached }) => cached.amount_micros * price.per < price.amount_micros * cached.per;

const money = ({ amount, currency }) => `${amount} ${currency}`;
