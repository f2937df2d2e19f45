/** What clients read, in SQL: conversation/reads.ts's ConversationReads, put together from its three parts. */
import type { Sql } from '@prisma/client/runtime/client';
import type { ConversationReads } from '../conversation/reads.js';
import type { DatabaseClients } from './client.js';
import { branchReads } from './branch-reads.js';
import { chatReads } from './chat-reads.js';
import type { Dialect } from './dialect.js';
import { messageReads } from './message-reads.js';
import { fromJson, type JsonRow } from './rows.js';

/** What the parts read with. */
export interface Reader {
  readonly sql: Dialect;
  readonly client: DatabaseClients['reader'];
  rows<T>(statement: Sql): Promise<T[]>;
  /** The rows of a statement that answers in JSON. */
  json<T>(statement: Sql): Promise<T[]>;
}

export function createReads(clients: DatabaseClients, sql: Dialect): ConversationReads {
  const client = clients.reader;
  const reader: Reader = {
    sql,
    client,
    rows: (statement) => client.$queryRaw(statement),
    json: async (statement) => fromJson(await client.$queryRaw<JsonRow[]>(statement)),
  };
  return { ...chatReads(reader), ...branchReads(reader), ...messageReads(reader) };
}
