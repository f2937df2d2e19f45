/** Values that this browser keeps. It may forbid storage: they last until the page is closed then. */

/** The JSON value of a key; null without one. */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The value is lost with the page.
  }
}
