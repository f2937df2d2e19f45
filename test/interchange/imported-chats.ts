/** Importing a file in a test, and looking at what came of it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ChatEventType, EventPayloads } from '../../src/conversation/model.js';
import { importFile } from '../../src/interchange/import-file.js';
import type { ImportReport } from '../../src/interchange/import-report.js';
import { openSourceFile } from '../../src/interchange/source-file.js';
import type { TemporaryDatabase } from '../support/temporary-database.js';

/** Writes a file and imports it; anything but text and bytes is written as JSON. */
export async function importContent(
  database: TemporaryDatabase,
  content: unknown,
  userId = 'local',
): Promise<ImportReport> {
  const path = join(database.folder, 'export');
  await writeFile(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  const file = await openSourceFile(path);
  try {
    return await importFile(database.store, userId, file);
  } finally {
    await file.close();
  }
}

export interface ImportedMessage {
  id: string;
  /** Of the original. */
  node: string;
  parent: string | null;
  name: string;
  createdAt: number;
  depth: number;
  seq: number;
  data: {
    id: string;
    role: string;
    parts: { type: string; text?: string; data?: unknown }[];
    metadata: Record<string, unknown>;
  };
}

export interface ImportedChat {
  id: string;
  userId: string;
  title: string | null;
  metadata: Record<string, unknown> & { import: Record<string, unknown> };
  createdAt: number;
  updatedAt: number;
  version: number;
  /** In the order of saving. */
  messages: ImportedMessage[];
  /** `b < a` for each message, siblings in their order. */
  tree: string[];
  /** The node at the head of each branch, in the order of creation. */
  branches: Record<string, string | null>;
  active: string;
}

/** Every chat, by the id of its conversation. Checks on the way that the log tells the same. */
export function importedChats(database: TemporaryDatabase): Record<string, ImportedChat> {
  type Row = Omit<ImportedChat, 'metadata' | 'messages' | 'tree' | 'branches' | 'active'> & { metadata: string };
  const chats = database.query<Row>('SELECT * FROM chats').map((row) => {
    const metadata = JSON.parse(row.metadata) as ImportedChat['metadata'];
    const messages = messagesOf(database, row.id);
    const nodes = new Map(messages.map((message) => [message.id, message.node]));
    const branches = database.query<{ id: string; name: string; headMessageId: string | null; isActive: number }>(
      'SELECT * FROM branches WHERE chatId = ? ORDER BY seq',
      row.id,
    );
    checkLog(database, row, branches, messages);
    const chat: ImportedChat = {
      ...row,
      metadata,
      messages,
      tree: messages.map(({ node, parent }) => (parent === null ? node : `${node} < ${parent}`)),
      branches: Object.fromEntries(branches.map((each) => [each.name, nodes.get(each.headMessageId ?? '') ?? null])),
      active: branches.find((branch) => branch.isActive === 1)?.name ?? '',
    };
    return [String((metadata['import'] as Record<string, unknown> | undefined)?.['conversationId']), chat] as const;
  });
  return Object.fromEntries(chats);
}

/** The only chat there is. */
export function onlyChat(database: TemporaryDatabase): ImportedChat {
  const [chat, ...others] = Object.values(importedChats(database));
  if (chat === undefined || others.length > 0) throw new Error('there is not exactly one chat');
  return chat;
}

function messagesOf(database: TemporaryDatabase, chatId: string): ImportedMessage[] {
  type Row = Omit<ImportedMessage, 'node' | 'parent' | 'data'> & { parentId: string | null; data: string };
  const rows = database.query<Row>('SELECT * FROM messages WHERE chatId = ? ORDER BY seq', chatId);
  const nodes = new Map<string, string>();
  return rows.map((row) => {
    const data = JSON.parse(row.data) as ImportedMessage['data'];
    // Messages that were not imported stand for themselves.
    const original = (data as Partial<ImportedMessage['data']>).metadata?.['id'];
    const node = typeof original === 'string' ? original : row.id;
    nodes.set(row.id, node);
    return { ...row, data, node, parent: row.parentId === null ? null : (nodes.get(row.parentId) ?? '?') };
  });
}

/** Replays the log: it must end where the branches stand, and every message must be part of exactly one move. */
function checkLog(
  database: TemporaryDatabase,
  chat: { id: string; version: number },
  branches: { id: string; headMessageId: string | null; isActive: number }[],
  messages: ImportedMessage[],
): void {
  const heads = new Map<string, string | null>();
  const moved: number[] = [];
  let active: string | undefined;
  const events = database.query<{ seq: number; type: string; payload: string }>(
    'SELECT * FROM chat_events WHERE chatId = ? ORDER BY seq',
    chat.id,
  );
  for (const { type, payload } of events) {
    const told = JSON.parse(payload) as EventPayloads[ChatEventType];
    if (type === 'BranchCreated') {
      const { branchId, headId } = told as EventPayloads['BranchCreated'];
      heads.set(branchId, headId);
    }
    if (type === 'BranchActivated') active = (told as EventPayloads['BranchActivated']).branchId;
    if (type === 'BranchHeadMoved') {
      const { branchId, previousHeadId, headId, firstSeq, lastSeq } = told as EventPayloads['BranchHeadMoved'];
      expect(previousHeadId).toBe(heads.get(branchId));
      heads.set(branchId, headId);
      for (let seq = firstSeq; seq <= lastSeq; seq++) moved.push(seq);
    }
  }
  expect(events.map((event) => event.seq)).toEqual(events.map((_, n) => n + 1));
  expect(chat.version).toBe(events.length);
  expect(Object.fromEntries(heads)).toEqual(Object.fromEntries(branches.map((each) => [each.id, each.headMessageId])));
  expect(active).toBe(branches.find((branch) => branch.isActive === 1)?.id);
  expect(moved.toSorted((a, b) => a - b)).toEqual(messages.map((message) => message.seq));
}
