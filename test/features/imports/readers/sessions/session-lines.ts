/** Lines of sessions. */

export type Json = Record<string, unknown>;

export const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

export const at = (second: number) => `2026-03-01T10:00:${String(second).padStart(2, '0')}.000Z`;
