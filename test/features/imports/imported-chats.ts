/** Imports files in tests and reads the resulting chats. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sql from 'sql-template-tag';
import { expect } from 'vitest';
import type { ChatEventType, EventPayloads } from '../../../src/conversation/model.js';
import { importFile, type ImportOptions } from '../../../src/features/imports/import-file.js';
import type { ImportReport } from '../../../src/features/imports/conversations/import-report.js';
import { openSourceFile } from '@parley/interchange/server';
import { tableAt, type AllRows } from '../../support/database/all-rows.js';
import type { TemporaryDatabase } from '../../support/database/temporary-database.js';

/** Writes a file and imports it; anything but text and bytes is written as JSON. */
export async function importContent(
  database: TemporaryDatabase,
  content: unknown,
  userId = 'local',
  options: Pick<ImportOptions, 'into'> = {},
): Promise<ImportReport> {
  const path = join(database.folder, 'export');
  await writeFile(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  const file = await openSourceFile(path);
  try {
    return await importFile(database.store, userId, file, options);
  } finally {
    await file.close();
  }
}

export interface ImportedMessage {
  id: string;
  /** The id in the original. */
  node: string;
  parent: string | null;
  /** The id of the represented message. */
  parentId: string | null;
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

/** Every chat by the id of its conversation, and checks that the log describes the same. */
export async function importedChats(database: TemporaryDatabase): Promise<Record<string, ImportedChat>> {
  const rows = await database.allRows();
  const chats = rows.chats.map((row) => {
    const metadata = JSON.parse(row.metadata) as ImportedChat['metadata'];
    const messages = messagesOf(rows, row.id);
    const nodes = new Map(messages.map((message) => [message.id, message.node]));
    const branches = ofChat(rows.branches, row.id);
    checkLog(row, ofChat(rows.events, row.id), branches, messages);
    const chat: ImportedChat = {
      ...row,
      metadata,
      messages,
      tree: messages.map(({ node, parent }) => (parent === null ? node : `${node} < ${parent}`)),
      branches: Object.fromEntries(branches.map((each) => [each.name, nodes.get(each.headMessageId ?? '') ?? null])),
      active: branches.find((branch) => branch.isActive)?.name ?? '',
    };
    return [String((metadata['import'] as Record<string, unknown> | undefined)?.['conversationId']), chat] as const;
  });
  return Object.fromEntries(chats);
}

/** The only chat there is. */
export async function onlyChat(database: TemporaryDatabase): Promise<ImportedChat> {
  const [chat, ...others] = Object.values(await importedChats(database));
  if (chat === undefined || others.length > 0) throw new Error('there is not exactly one chat');
  return chat;
}

/** The depth of the deepest message. */
export async function deepest({ connection, url }: TemporaryDatabase): Promise<number | null> {
  const statement = sql`SELECT max("depth") AS "depth" FROM ${tableAt(url, 'messages')}`;
  const [row] = await connection.read((db) => db.rows<{ depth: number | null }>(statement));
  return row!.depth;
}

function ofChat<Row extends { chatId: string; seq: number }>(rows: readonly Row[], chatId: string): Row[] {
  return rows.filter((row) => row.chatId === chatId).sort((one, other) => one.seq - other.seq);
}

function messagesOf(rows: AllRows, chatId: string): ImportedMessage[] {
  const nodes = new Map<string, string>();
  return ofChat(rows.messages, chatId).map((row) => {
    const data = JSON.parse(row.data) as ImportedMessage['data'];
    // Messages that were not imported stand for themselves.
    const original = (data as Partial<ImportedMessage['data']>).metadata?.['id'];
    const node = typeof original === 'string' ? original : row.id;
    nodes.set(row.id, node);
    const parent = row.parentId === null ? null : (nodes.get(row.parentId) ?? '?');
    return { ...row, data, node, parent };
  });
}

/** Replays the log: it must end at the heads of the branches, and each message must belong to exactly one move. */
function checkLog(
  chat: { version: number },
  events: AllRows['events'],
  branches: AllRows['branches'],
  messages: ImportedMessage[],
): void {
  const heads = new Map<string, string | null>();
  const moved: number[] = [];
  let active: string | undefined;
  for (const { type, payload } of events) {
    const eventPayload = JSON.parse(payload) as EventPayloads[ChatEventType];
    if (type === 'BranchCreated') {
      const { branchId, headId } = eventPayload as EventPayloads['BranchCreated'];
      heads.set(branchId, headId);
    }
    if (type === 'BranchActivated') active = (eventPayload as EventPayloads['BranchActivated']).branchId;
    if (type === 'BranchHeadMoved') {
      const { branchId, previousHeadId, headId, firstSeq, lastSeq } = eventPayload as EventPayloads['BranchHeadMoved'];
      expect(previousHeadId).toBe(heads.get(branchId));
      heads.set(branchId, headId);
      for (let seq = firstSeq; seq <= lastSeq; seq++) moved.push(seq);
    }
  }
  expect(events.map((event) => event.seq)).toEqual(events.map((_, n) => n + 1));
  expect(chat.version).toBe(events.length);
  expect(Object.fromEntries(heads)).toEqual(Object.fromEntries(branches.map((each) => [each.id, each.headMessageId])));
  expect(active).toBe(branches.find((branch) => branch.isActive)?.id);
  expect(moved.toSorted((a, b) => a - b)).toEqual(messages.map((message) => message.seq));
}
