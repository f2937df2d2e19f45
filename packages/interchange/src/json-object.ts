/** A JSON object of a file: nothing is certain about its members. */
export type JsonObject = Record<string, unknown>;

/** Whether a JSON value is an object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
