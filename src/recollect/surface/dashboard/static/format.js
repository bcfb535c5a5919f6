// Numbers, sizes and times for people.

const number = new Intl.NumberFormat("en-US");

export const count = (value, noun, nouns = `${noun}s`) => `${number.format(value)} ${value === 1 ? noun : nouns}`;
export const digits = (value) => number.format(value);
export const short = (id) => String(id).slice(0, 8);

export function bytes(value) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let step = 0;
  while (value >= 1000 && step < units.length - 1) { value /= 1000; step += 1; }
  return `${value < 10 && step ? value.toFixed(1) : Math.round(value)} ${units[step]}`;
}

const STEPS = [[60, "second", 1], [3600, "minute", 60], [86400, "hour", 3600], [86400 * 14, "day", 86400],
  [86400 * 60, "week", 604800], [86400 * 730, "month", 2629800], [Infinity, "year", 31557600]];

// An age in words; `at` is what the API gives: an ISO date, or milliseconds.
export function age(at) {
  const seconds = Math.max(0, (Date.now() - new Date(at).getTime()) / 1000);
  if (seconds < 45) return "just now";
  const [, unit, size] = STEPS.find(([limit]) => seconds < limit);
  return `${count(Math.max(1, Math.round(seconds / size)), unit)} ago`;
}

const two = (value) => String(value).padStart(2, "0");
export function day(at) {
  const when = new Date(at);
  return `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`;
}
export function moment(at) {
  const when = new Date(at);
  return `${day(at)} ${two(when.getHours())}:${two(when.getMinutes())}`;
}
// The name of a project: the last part of its path.
export const project = (name) => (name ? String(name).replace(/\/+$/, "").split("/").pop() : "all projects");

// The server cuts a label after 80 characters.
export const cut = (label) => (label.length === 80 ? `${label}…` : label);
