/** The invariants of drafts and of their chunks. */
import { CHAT, NO_CHAT, reference, type TableCheck } from '../../database/table-check.js';
import { draftProblems } from './draft-problems.js';

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
