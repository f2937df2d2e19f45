/** The invariants of drafts and of their chunks. */
import {
  CHAT,
  NO_CHAT,
  reference,
  type TableCheck,
  type CheckedRow,
  type Problems,
} from '../../database/table-check.js';
import type { DraftPiece } from './draft.js';
import type { Reading } from '../../database/whole-chats/chat-state.js';

export const DRAFT_CHECKS: readonly TableCheck[] = [
  {
    table: 'drafts',
    key: ['id'],
    columns: [
      'chatId',
      'branchId',
      'parentId',
      'startedAt',
      'length',
      'bytes',
      'endedAt',
      'messageId',
      'requestedBranchId',
      'requestedHeadId',
    ],
    joins: {
      c: CHAT,
      p: '{messages} ON p.id = r.parentId',
      b: '{branches} ON b.id = r.branchId',
      m: '{messages} ON m.id = r.messageId',
      rb: '{branches} ON rb.id = r.requestedBranchId',
      rh: '{messages} ON rh.id = r.requestedHeadId',
    },
    problems: [
      NO_CHAT,
      ...reference('parentId', 'p'),
      // A draft's branches may have been deleted.
      ['branchId names a row of another chat', 'b.chatId <> r.chatId'],
      ['requestedBranchId names a row of another chat', 'rb.chatId <> r.chatId'],
      ...reference('requestedHeadId', 'rh'),
      ...reference('messageId', 'm'),
      ['it has a message and has not ended', 'r.messageId IS NOT NULL AND r.endedAt IS NULL'],
    ],
    content: draftProblems,
  },
  {
    table: 'draft_chunks',
    key: ['draftId', 'endOffset'],
    columns: ['chatId'],
    joins: { d: '{drafts} ON d.id = r.draftId', c: '{chats} ON c.id = d.chatId' },
    problems: [
      ['its draft is missing', 'd.id IS NULL'],
      ['chatId is not the chat of its draft', 'r.chatId <> d.chatId'],
      ['endOffset exceeds the length of its draft', 'r.endOffset > d.length'],
    ],
  },
];

/** Pieces read per statement: each is at most as large as an append. */
const PIECES_PER_STEP = 16;

/** Compares the pieces of an open draft with the counts in its row. */
async function draftProblems(from: Reading, rows: readonly CheckedRow[]): Promise<Problems> {
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
