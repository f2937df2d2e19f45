/** What clients read, in SQL: conversation/reads.ts's ConversationReads, put together from its three parts. */
import type { Sql } from '@prisma/client/runtime/client';
import type { Message } from '../conversation/model.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { DatabaseClients } from './client.js';
import { branchReads } from './branch-reads.js';
import { chatReads } from './chat-reads.js';
import type { Dialect } from './dialect.js';
import { readMessages, type Indexed, type JsonRow } from './json-rows.js';
import { messageReads } from './message-reads.js';

/** What the parts read with. */
export interface Reader {
  readonly sql: Dialect;
  rows<T>(statement: Sql): Promise<T[]>;
  /** The messages of a statement that answers in JSON. */
  messages(statement: Sql): Promise<(Message & Indexed)[]>;
}

export function createReads(clients: DatabaseClients, sql: Dialect): ConversationReads {
  const client = clients.reader;
  const reader: Reader = {
    sql,
    rows: (statement) => client.$queryRaw(statement),
    messages: async (statement) => readMessages(await client.$queryRaw<JsonRow[]>(statement)),
  };
  return { ...chatReads(reader), ...branchReads(reader), ...messageReads(reader) };
}
