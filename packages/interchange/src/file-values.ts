/** Values of a file, about which nothing is certain, and the errors of those that cannot be read. */

/** A JSON object: nothing is certain about its members. */
export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A file or a conversation that cannot be read. The message is a plain sentence for the user. */
export class UnreadableError extends Error {}

/** A value that is left out on purpose: the report names it, and it is no failure. */
export class LeftOutError extends UnreadableError {}
