// Calls of operations: /api/v1/NAME. Read-only operations by GET, others by POST.

export class ApiError extends Error {
  constructor(status, error) {
    super(error.message || `the server answered ${status}`);
    this.status = status;
    this.code = error.code || "";
    this.hint = error.hint || "";
  }
}

export function get(name, args = {}, { signal } = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(args)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(key, one);
  }
  return send(`/api/v1/${name}?${query}`, { signal });
}

export function post(name, args = {}, { signal } = {}) {
  const body = JSON.stringify(Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)));
  return send(`/api/v1/${name}`, { method: "POST", body, headers: { "content-type": "application/json" }, signal });
}

export async function send(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new ApiError(0, { message: "The server does not answer.", hint: "Run `recollect viz` again." });
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new ApiError(answer.status, data.error || {});
  return data;
}
