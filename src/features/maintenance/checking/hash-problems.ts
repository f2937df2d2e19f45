import { isContentHash } from '../../../conversation/saving/message-digest.js';
import type { Reading } from '../../../database/whole-chats/chat-state.js';
import type { CheckedRow, Problems } from '../../../database/table-check.js';

export function hashProblems(_: Reading, rows: readonly CheckedRow[]): Promise<Problems> {
  const others = rows.filter(({ hash }) => !isContentHash(hash));
  return Promise.resolve(new Map(others.map((row) => [row, 'hash is not a SHA-256 in hex'])));
}
