/** Minimum milliseconds between two log lines of one kind: clients must not fill the log. */
const QUIET_MS = 60_000;

/** @returns a function that logs a line unless it logged one in the last QUIET_MS, and returns whether it did */
export function throttledLog(log: (line: string) => void): (line: string) => boolean {
  let loggedAt = -Infinity;
  return (line) => {
    const now = performance.now();
    if (now - loggedAt < QUIET_MS) return false;
    loggedAt = now;
    log(line);
    return true;
  };
}
