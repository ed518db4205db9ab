// The stream of notices. It is read with fetch, because an EventSource cannot send the token.

import { request } from "./api.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** The server writes at least every 15 seconds; after this long the connection is dead. */
const SILENCE_MS = 40_000;

/** Reads one connection to its end. */
async function read(onOpen, onNotice) {
  const controller = new AbortController();
  let timer;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), SILENCE_MS);
  };
  alive();
  try {
    const response = await request("GET", "events", { signal: controller.signal });
    onOpen();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) {
        const lines = part.split("\n").filter((line) => line.startsWith("data:"));
        if (lines.length > 0) onNotice(JSON.parse(lines.map((line) => line.slice(5)).join("\n")));
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Listens until the token is refused. `opened` is called at each connection: what happened before
 * it was missed. `lost` is called with the wait in milliseconds and what ends it at once.
 */
export async function listen({ opened, notice, lost, refused }) {
  let wait = FIRST_WAIT_MS;
  for (;;) {
    try {
      await read(() => {
        wait = FIRST_WAIT_MS;
        opened();
      }, notice);
    } catch (error) {
      if (error.status === 401 || error.status === 403 || error.code === "no-control-api") {
        refused(error);
        return;
      }
    }
    const pause = wait * (0.75 + Math.random() / 2);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      lost(pause, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}
