/** The invariants of the core's tables: see TableCheck. */
import { MAX_SOURCES } from '../../../conversation/bounds.js';
import { ERASED_USER } from '../../../conversation/access/ownership.js';
import { eventProblems, originProblems } from './event-problems.js';
import { FILE_CHECKS } from './file-checks.js';
import {
  CHAT,
  NO_CHAT,
  reference,
  type TableCheck,
  type CheckedRow,
  type Problems,
} from '../../../database/table-check.js';
import { isContentHash } from '../../../conversation/saving/message-digest.js';
import type { Reading } from '../../../database/whole-chats/chat-state.js';

const hasNoOlderSibling = (isSibling: string) =>
  `NOT EXISTS (SELECT 1 FROM {messages} s WHERE s.chatId = r.chatId AND s.siblingIndex = r.siblingIndex - 1 AND ${isSibling} AND s.seq < r.seq)`;

/** The condition of ADR 2 for a row in message_runs. */
const BEGINS_RUN = 'r.seq > 1 AND (p.seq IS NULL OR p.seq <> r.seq - 1)';

/** The rule of jumps.ts: `p` is the parent, `pj` its jump, `b` the jump of that. */
const JUMP = 'CASE WHEN p.depth - pj.depth = pj.depth - b.depth THEN b.id ELSE p.id END';

/** The source at the position before, which is a message of the chat or a hash. */
const POSITION_BEFORE = {
  o: '{message_sources} ON o.chatId = r.chatId AND o.seq = r.seq AND o.position = r.position - 1',
  h: '{message_source_hashes} ON h.chatId = r.chatId AND h.seq = r.seq AND h.position = r.position - 1',
};
const positionProblems = [
  [`position exceeds ${MAX_SOURCES - 1}`, `r.position > ${MAX_SOURCES - 1}`],
  ['the position before it is missing', 'r.position < 0 OR (r.position > 0 AND o.chatId IS NULL AND h.chatId IS NULL)'],
] as const;

export const TABLE_CHECKS: readonly TableCheck[] = [
  {
    table: 'chats',
    key: ['id'],
    columns: ['version', 'userId'],
    owner: 'r.userId',
    joins: {},
    problems: [
      [
        'version is not the seq of its newest event',
        'r.version <> coalesce((SELECT max(e.seq) FROM {chat_events} e WHERE e.chatId = r.id), 0)',
      ],
      [
        'it does not have exactly one active branch',
        '(SELECT count(*) FROM {branches} b WHERE b.chatId = r.id AND CAST(b.isActive AS INTEGER) = 1) <> 1',
      ],
    ],
  },
  {
    table: 'messages',
    key: ['chatId', 'seq'],
    columns: ['id', 'parentId', 'jumpId', 'depth', 'siblingIndex'],
    joins: {
      c: CHAT,
      p: '{messages} ON p.id = r.parentId',
      j: '{messages} ON j.id = r.jumpId',
      pj: '{messages} ON pj.id = p.jumpId',
      b: '{messages} ON b.id = pj.jumpId',
      o: '{messages} ON o.chatId = r.chatId AND o.seq = r.seq - 1',
      n: '{message_runs} ON n.chatId = r.chatId AND n.seq = r.seq',
      t: '{message_texts} ON t.messageId = r.id',
    },
    problems: [
      NO_CHAT,
      ...reference('parentId', 'p'),
      ...reference('jumpId', 'j'),
      ['parentId names a message with a higher seq', 'p.seq >= r.seq'],
      ['depth is not that of its parent plus one, or 0 for a root', 'r.depth <> coalesce(p.depth + 1, 0)'],
      ['jumpId of a root does not name the root', 'r.parentId IS NULL AND r.jumpId <> r.id'],
      ['jumpId does not lead to a smaller depth', 'r.parentId IS NOT NULL AND j.depth >= r.depth'],
      ['jumpId is not the jump that follows from its parent', `r.parentId IS NOT NULL AND r.jumpId <> ${JUMP}`],
      ['the seq before it is missing', 'r.seq < 1 OR (r.seq > 1 AND o.id IS NULL)'],
      [
        'the siblingIndex before it is missing',
        `r.siblingIndex < 0 OR (r.siblingIndex > 0 AND CASE WHEN r.parentId IS NULL
          THEN CASE WHEN ${hasNoOlderSibling('s.parentId IS NULL')} THEN 1 ELSE 0 END
          ELSE CASE WHEN ${hasNoOlderSibling('s.parentId = r.parentId')} THEN 1 ELSE 0 END END = 1)`,
      ],
      ['its row in message_runs is missing', `n.chatId IS NULL AND ${BEGINS_RUN}`],
      ['its row in message_texts is missing', 't.id IS NULL'],
    ],
  },
  {
    table: 'message_runs',
    key: ['chatId', 'seq'],
    columns: ['parentSeq'],
    joins: {
      c: CHAT,
      m: '{messages} ON m.chatId = r.chatId AND m.seq = r.seq',
      p: '{messages} ON p.id = m.parentId',
    },
    problems: [
      NO_CHAT,
      ['its message is missing', 'm.id IS NULL'],
      ['its message continues the message saved right before it', `NOT (${BEGINS_RUN})`],
      ['parentSeq is not the seq of the parent', 'coalesce(r.parentSeq, 0) <> coalesce(p.seq, 0)'],
    ],
  },
  {
    table: 'message_sources',
    key: ['chatId', 'seq', 'position'],
    columns: ['sourceSeq'],
    joins: {
      c: CHAT,
      m: '{messages} ON m.chatId = r.chatId AND m.seq = r.seq',
      s: '{messages} ON s.chatId = r.chatId AND s.seq = r.sourceSeq',
      ...POSITION_BEFORE,
    },
    problems: [
      NO_CHAT,
      ['its message is missing', 'm.id IS NULL'],
      ['sourceSeq names a row that is missing', 's.id IS NULL'],
      ['sourceSeq is not smaller than seq', 'r.sourceSeq >= r.seq'],
      ...positionProblems,
    ],
  },
  {
    table: 'message_source_hashes',
    key: ['chatId', 'seq', 'position'],
    columns: ['hash'],
    joins: {
      c: CHAT,
      m: '{messages} ON m.chatId = r.chatId AND m.seq = r.seq',
      s: '{message_sources} ON s.chatId = r.chatId AND s.seq = r.seq AND s.position = r.position',
      ...POSITION_BEFORE,
    },
    problems: [
      NO_CHAT,
      ['its message is missing', 'm.id IS NULL'],
      ['message_sources has the same position', 's.chatId IS NOT NULL'],
      ...positionProblems,
    ],
    content: hashProblems,
  },
  {
    table: 'message_texts',
    key: ['id'],
    columns: ['chatId', 'messageId', 'seq', 'name', 'createdAt'],
    joins: { c: CHAT, m: '{messages} ON m.id = r.messageId' },
    problems: [
      NO_CHAT,
      ...reference('messageId', 'm'),
      [
        'seq, name or createdAt is not that of its message',
        'm.seq <> r.seq OR m.name <> r.name OR m.createdAt <> r.createdAt',
      ],
    ],
  },
  {
    table: 'branches',
    key: ['id'],
    columns: ['chatId', 'seq', 'headMessageId', 'createdBy'],
    outputs: { eventType: 'e.type', eventPayload: 'e.payload' },
    joins: {
      c: CHAT,
      h: '{messages} ON h.id = r.headMessageId',
      e: '{chat_events} ON e.chatId = r.chatId AND e.seq = r.seq',
    },
    problems: [
      NO_CHAT,
      ...reference('headMessageId', 'h'),
      // An erasure renames the creators of branches before the actors of events.
      [
        'createdBy is not the actor of its creation event',
        `r.createdBy <> e.actorId AND r.createdBy <> '${ERASED_USER}'`,
      ],
    ],
    content: originProblems('BranchCreated', 'branchId'),
  },
  {
    table: 'checkpoints',
    key: ['id'],
    columns: ['chatId', 'seq', 'messageId'],
    outputs: { eventType: 'e.type', eventPayload: 'e.payload' },
    joins: {
      c: CHAT,
      m: '{messages} ON m.id = r.messageId',
      e: '{chat_events} ON e.chatId = r.chatId AND e.seq = r.seq',
    },
    problems: [NO_CHAT, ...reference('messageId', 'm')],
    content: originProblems('CheckpointSaved', 'checkpointId'),
  },
  {
    table: 'chat_events',
    key: ['chatId', 'seq'],
    columns: ['type', 'payload'],
    joins: { c: CHAT, o: '{chat_events} ON o.chatId = r.chatId AND o.seq = r.seq - 1' },
    problems: [NO_CHAT, ['the seq before it is missing', 'r.seq < 1 OR (r.seq > 1 AND o.chatId IS NULL)']],
    content: eventProblems,
  },
  {
    table: 'chat_forks',
    key: ['chatId'],
    columns: ['fromChatId', 'fromMessageId'],
    joins: { c: CHAT },
    problems: [
      NO_CHAT,
      ['it has a fromMessageId without a fromChatId', 'r.fromMessageId IS NOT NULL AND r.fromChatId IS NULL'],
    ],
  },
  {
    table: 'chat_title_words',
    key: ['chatId', 'word'],
    columns: [],
    joins: { c: CHAT },
    problems: [NO_CHAT],
  },
  {
    table: 'chat_imports',
    key: ['chatId'],
    columns: [],
    joins: { c: CHAT },
    problems: [NO_CHAT],
  },
  ...FILE_CHECKS,
];

function hashProblems(_: Reading, rows: readonly CheckedRow[]): Promise<Problems> {
  const others = rows.filter(({ hash }) => !isContentHash(hash));
  return Promise.resolve(new Map(others.map((row) => [row, 'hash is not a SHA-256 in hex'])));
}
