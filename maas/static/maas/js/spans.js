// Parses time spans like the API: seconds, or a number with s, m, h or d.

const UNITS_S = { "": 1, s: 1, m: 60, h: 3_600, d: 86_400 };
const LONGEST_S = 30 * 86_400;

/** Returns seconds, or null for an empty text. Throws an Error with a message for the person. */
export function readSpan(text) {
  const written = text.trim().toLowerCase();
  if (!written) return null;
  const [, count, unit] = written.match(/^([0-9]{1,9})([smhd]?)$/) ?? [];
  if (!count) throw new Error(`“${text.trim()}” is not a time. Enter a number with s, m, h or d, such as 15m.`);
  const seconds = Number(count) * UNITS_S[unit];
  if (seconds < 1 || seconds > LONGEST_S) throw new Error(`“${text.trim()}” is out of range. Enter 1 second to 30 days.`);
  return seconds;
}
