/** The chat list: changed on another server. */
import { expect, test } from 'vitest';
import { userOf } from '../api/followed-chats.js';
import { databaseKind } from '../support/database/database-kind.js';
import type { EventStream } from '../support/server/event-stream.js';
import { openParley, type ParleyOptions } from '../support/server/parley.js';
import { emptyDatabaseUrl } from '../support/database/temporary-database.js';

const CHANGES = 'subscription { chatChanges { chatId kind version chat { title } } }';
const HOUR_MS = 3_600_000;

/** A client of a new server. */
const serve = async (options: ParleyOptions) => userOf(await openParley(options), 'ann', CHANGES);

async function expectChange(stream: EventStream, kind: string, version: number, title: string | null): Promise<void> {
  const chat = title === null ? null : { title };
  expect(await stream.next()).toEqual({ data: { chatChanges: { chatId: 'c', kind, version, chat } } });
}

// SQLite files have no bus except Redis. A pooler does not support LISTEN: sweeps find the changes.
test.each(databaseKind === 'postgresql' ? ['the bus', 'a sweep'] : ['a sweep'])(
  '%s reports each change on another server to all followers',
  async (way) => {
    const url = emptyDatabaseUrl();
    const databaseUrl = databaseKind === 'postgresql' && way === 'a sweep' ? `${url}&pgbouncer=true` : url;
    const sweepIntervalMs = way === 'a sweep' ? 20 : HOUR_MS;
    const [one, other] = [await serve({ databaseUrl, sweepIntervalMs }), await serve({ databaseUrl })];
    const streams = [await one.follow(), await one.follow()];
    const report = async (mutation: string, ...change: [kind: string, version: number, title: string | null]) => {
      await other.mutate(mutation);
      for (const stream of streams) await expectChange(stream, ...change);
    };
    await report('createChat(input: { id: "c", title: "first" })', 'CREATED', 3, 'first');
    await report('updateChat(input: { chatId: "c", title: "second" })', 'CHANGED', 4, 'second');
    await report('deleteChat(input: { chatId: "c" })', 'REMOVED', 5, null);
  },
);
