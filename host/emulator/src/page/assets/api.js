// Requests to the control API.

import { current } from "./token.js";

/** What the control API refused, with its words. */
export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

function refusal(status, body) {
  if (status === 404 && !body) {
    return new Refused(status, "no-control-api", "This emulator runs without its control API.");
  }
  const message = body?.message ?? `The emulator answered ${status}.`;
  return new Refused(status, body?.code ?? "unknown", message);
}

/** Sends a request with the token; gives the response if it is a success. */
export async function request(method, path, { body, signal } = {}) {
  const headers = { authorization: `Bearer ${current()}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(`/_emulator/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "unreachable", "The emulator does not answer.");
  }
  if (!response.ok) {
    throw refusal(response.status, await response.json().catch(() => null));
  }
  return response;
}

export async function get(path) {
  return (await request("GET", path)).json();
}

export async function post(path, body) {
  return (await request("POST", path, { body })).json();
}
