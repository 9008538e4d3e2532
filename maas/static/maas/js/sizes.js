// Formats file sizes like the server.

const UNITS = ["KB", "MB", "GB"];

export function sizeWords(bytes) {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const step = Math.min(UNITS.length, Math.floor(Math.log(bytes) / Math.log(1024)));
  return `${(bytes / 1024 ** step).toFixed(1)} ${UNITS[step - 1]}`;
}
