import type { DraftPiece } from './draft.js';
import type { Reading } from '../../database/whole-chats/chat-state.js';
import type { CheckedRow, Problems } from '../../database/table-check.js';

/** Pieces read per statement: each is at most as large as an append. */
const PIECES_PER_STEP = 16;

/** Compares the pieces of an open draft with the counts in its row. */
export async function draftProblems(from: Reading, rows: readonly CheckedRow[]): Promise<Problems> {
  const problems: Problems = new Map();
  for (const row of rows) {
    if (row['endedAt'] !== null) continue;
    const { length, bytes, areSound } = await sizeOfDraft(from, row);
    if (!areSound) problems.set(row, 'a piece does not have the chunks of its offsets');
    else if (length !== row['length']) problems.set(row, 'length is not the number of its chunks');
    else if (bytes !== row['bytes']) problems.set(row, 'bytes is not the size of its chunks');
  }
  return problems;
}

async function sizeOfDraft({ sql, read }: Reading, row: CheckedRow) {
  const draft = { chatId: String(row['chatId']), id: String(row['id']), startedAt: Number(row['startedAt']) };
  const limit = Number(row['length']);
  let [length, bytes, areSound] = [0, 0, true];
  for (let isDone = false; !isDone;) {
    const after = length;
    const rows = await read((db) => db.rows<DraftPiece>(sql.partsAfter('drafts', draft, after, PIECES_PER_STEP)));
    // Chunks that were appended after the row was read are not counted.
    const pieces = rows.filter(({ endOffset }) => endOffset <= limit);
    for (const { startOffset, endOffset, chunks } of pieces) {
      areSound &&= startOffset === length && chunkCount(chunks) === endOffset - startOffset;
      // See bytesOf: each chunk counts one byte more, and the array of n chunks has n + 1 others.
      bytes += Buffer.byteLength(chunks) - 1;
      length = endOffset;
    }
    isDone = pieces.length < PIECES_PER_STEP;
  }
  return { length, bytes, areSound };
}

function chunkCount(chunks: string): number | null {
  try {
    const value: unknown = JSON.parse(chunks);
    return Array.isArray(value) ? value.length : null;
  } catch {
    return null;
  }
}
