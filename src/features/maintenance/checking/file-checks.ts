/** The invariants of the tables of files, see table-checks.ts. Keys of contents contain the id of their file. */
import { fileReferences, type FileReference } from '../../../conversation/files/file-references.js';
import type { StoredMessage } from '../../../conversation/model.js';
import type { Reading } from '../../../database/whole-chats/chat-state.js';
import type { CheckedRow, Problems, TableCheck } from '../../../database/table-check.js';

const FILE_OF_KEY = '{files} ON f.id = substring(r.storageKey, 4, 64) AND f.storageKey = r.storageKey';

export const FILE_CHECKS: readonly TableCheck[] = [
  {
    table: 'files',
    key: ['id'],
    columns: ['storageKey'],
    owner: 'r.id',
    joins: {},
    problems: [['storageKey is not a key of its content', 'substring(r.storageKey, 4, 64) <> r.id']],
  },
  {
    table: 'message_files',
    key: ['messageId', 'position'],
    columns: ['chatId', 'fileId', 'name'],
    outputs: { messageSeq: 'm.seq' },
    joins: {
      c: '{chats} ON c.id = r.chatId',
      m: '{messages} ON m.id = r.messageId',
      f: '{files} ON f.id = r.fileId',
      u: '{user_files} ON u.userId = c.userId AND u.fileId = r.fileId',
    },
    problems: [
      ['its chat is missing', 'c.id IS NULL'],
      ['messageId names a row that is missing', 'm.id IS NULL'],
      ['messageId names a row of another chat', 'm.chatId <> r.chatId'],
      ['its file is missing', 'f.id IS NULL'],
      ['the owner of its chat does not have the file', 'u.fileId IS NULL'],
    ],
    content: referenceProblems,
  },
  {
    table: 'user_files',
    key: ['userId', 'fileId'],
    columns: [],
    owner: 'r.fileId',
    joins: { f: '{files} ON f.id = r.fileId' },
    problems: [['its file is missing', 'f.id IS NULL']],
  },
  {
    table: 'file_contents',
    key: ['storageKey'],
    columns: [],
    owner: 'r.storageKey',
    joins: { f: FILE_OF_KEY, d: '{file_removals} ON d.storageKey = r.storageKey' },
    problems: [['neither files nor file_removals has a row with its key', 'f.id IS NULL AND d.storageKey IS NULL']],
  },
  {
    table: 'file_removals',
    key: ['storageKey'],
    columns: [],
    owner: 'r.storageKey',
    joins: { f: FILE_OF_KEY },
    problems: [['it removes the content of a file in use', 'f.id IS NOT NULL']],
  },
];

/** Compares references with the data of their message. The reverse is no invariant: the owner may lack a file. */
async function referenceProblems({ sql, read }: Reading, rows: readonly CheckedRow[]): Promise<Problems> {
  const problems: Problems = new Map();
  let last: { messageId: unknown; references: FileReference[] } = { messageId: null, references: [] };
  for (const row of rows) {
    const { chatId, messageId, messageSeq } = row;
    if (last.messageId !== messageId) {
      // One by one: data may have 1 MiB. Rows of a message are adjacent.
      const seq = Number(messageSeq);
      const [message] = await read((db) => db.rows<StoredMessage>(sql.wholeMessages(String(chatId), seq, seq)));
      last = { messageId, references: referencesOf(message?.data ?? 'null') };
    }
    const reference = last.references[Number(row['position'])];
    if (reference?.fileId !== row['fileId'])
      problems.set(row, 'the data of its message does not refer to the file there');
    else if (reference?.name !== row['name']) problems.set(row, 'name is not the one in the data of its message');
  }
  return problems;
}

function referencesOf(data: string): FileReference[] {
  try {
    return fileReferences(data);
  } catch {
    return [];
  }
}
