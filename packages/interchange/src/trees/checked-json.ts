import { MAX_DATA_BYTES, MAX_JSON_DEPTH } from '../limits.js';

/** @returns the JSON text of a message, or the limit that it exceeds */
export function checkedJson(value: unknown): string | { fault: string } {
  if (isDeeper(value, MAX_JSON_DEPTH)) return { fault: `it must not nest deeper than ${MAX_JSON_DEPTH} levels` };
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_DATA_BYTES) return text;
  return { fault: `it must have at most ${MAX_DATA_BYTES} bytes as JSON, not ${bytes}` };
}

/** Without recursion: the value may be nested deeper than the stack allows. */
function isDeeper(root: unknown, levels: number): boolean {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at.value !== 'object' || at.value === null) continue;
    if (at.depth === levels) return true;
    for (const value of Object.values(at.value)) open.push({ value, depth: at.depth + 1 });
  }
  return false;
}
