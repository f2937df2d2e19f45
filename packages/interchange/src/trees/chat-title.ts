import { MAX_NAME_LENGTH } from '../limits.js';

const ELLIPSIS = '…';

/** A title truncated to 255 UTF-16 code units; null for an empty one. */
export function chatTitle(title: string | null): string | null {
  // The server refuses trailing spaces.
  const trimmed = title?.trim() ?? '';
  if (trimmed === '') return null;
  if (trimmed.length <= MAX_NAME_LENGTH) return trimmed;
  const cut = trimmed.slice(0, MAX_NAME_LENGTH - ELLIPSIS.length);
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)) + ELLIPSIS;
}
