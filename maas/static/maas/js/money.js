// Formats amounts of money like the server: rounded to cents, exact on hover.

const MICROS = 1_000_000;
const SYMBOLS = { EUR: "€", USD: "$", GBP: "£" };
const symbol = (currency) => SYMBOLS[currency] ?? currency;

/** Formats an `amount` of the API with every decimal. */
export const exactMoney = ({ amount, currency }) => `${amount} ${symbol(currency)}`;

/** `up` rounds up to the next cent, for maximum costs. */
export function roundedMoney({ amount_micros: micros, currency }, { up = false } = {}) {
  const { maximumFractionDigits: decimals } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
  const unit = MICROS / 10 ** decimals;
  const words = (units) => `${((units * unit) / MICROS).toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })} ${symbol(currency)}`;
  if (micros > 0 && micros < unit && !up) return `< ${words(1)}`;
  return words(up ? Math.ceil(micros / unit) : Math.round(micros / unit));
}
