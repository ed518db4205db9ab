// What must not run twice at the same time.

/** Runs one at a time; what is asked for meanwhile runs once more after it. */
export function inTurn(action) {
  let running = null;
  let again = false;
  return function run() {
    if (running) {
      again = true;
      return running;
    }
    running = (async () => {
      do {
        again = false;
        await action();
      } while (again);
    })().finally(() => {
      running = null;
    });
    return running;
  };
}
