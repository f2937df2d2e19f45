/** The entry `parley/prisma`: it reads with the generated client, and rejects every write. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { prismaClient, type PrismaReader } from '../../../src/exports/prisma.js';
import type { PrismaClient } from '../../../src/generated/sqlite/client.js';
import { databaseKind } from '../../support/database/database-kind.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { databaseForAll } from '../../support/database/database-scope.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const METADATA = { topic: 'travel', tags: ['sea', 'été'] };
const message = (id: string, name: string, text: string) => ({ id, name, type: 'message', content: { data: text } });

const database = databaseForAll();
let prisma: PrismaReader;
beforeAll(async () => {
  await createChat(database.store, VIEWER, { id: 'c', title: 'Portugal', metadata: METADATA });
  const messages = [message('m1', 'user', 'Where to?'), message('m2', 'assistant', 'To Faro.')];
  await saveMessages(database.store, VIEWER, { chatId: 'c', messages });
  prisma = await prismaClient(database.url);
});
afterAll(async () => {
  await prisma.$disconnect();
});

describe('reading', () => {
  it('finds, counts and groups rows', async () => {
    const found = await prisma.message.findMany({ where: { chatId: 'c' }, orderBy: { seq: 'asc' } });
    expect(found.map(({ id, data, createdBy }) => [id, JSON.parse(data) as unknown, createdBy])).toEqual([
      ['m1', 'Where to?', 'u'],
      ['m2', 'To Faro.', 'u'],
    ]);
    expectTypeOf(found[0]!.createdAt).toEqualTypeOf<bigint>();
    expect(await prisma.message.count()).toBe(2);
    const byName = await prisma.message.groupBy({ by: ['name'], _count: true, orderBy: { name: 'asc' } });
    expect(byName).toEqual([
      { name: 'assistant', _count: 1 },
      { name: 'user', _count: 1 },
    ]);
    expect(await prisma.chat.findUnique({ where: { id: 'missing' } })).toBeNull();
  });

  it('follows relations, and has metadata as JSON text on every database', async () => {
    const branch = await prisma.branch.findFirstOrThrow({
      select: { name: true, head: { include: { parent: true } }, chat: { select: { title: true, metadata: true } } },
    });
    expect(branch.name).toBe('main');
    expect([branch.head?.id, branch.head?.parent?.id]).toEqual(['m2', 'm1']);
    expect(branch.chat.title).toBe('Portugal');
    expectTypeOf(branch.chat.metadata).toEqualTypeOf<string>();
    expect(JSON.parse(branch.chat.metadata)).toEqual(METADATA);
  });

  // The type of the client is that of SQLite, where metadata is text.
  it.runIf(databaseKind === 'postgresql')('filters by members of metadata on PostgreSQL', async () => {
    const withTopic = (topic: string) =>
      prisma.chat.count({ where: { metadata: { path: ['topic'], equals: topic } as never } });
    expect([await withTopic('travel'), await withTopic('food')]).toEqual([1, 0]);
  });

  it('runs several queries in one transaction', async () => {
    const [chats, messages] = await prisma.$transaction([prisma.chat.count(), prisma.message.findMany()]);
    expect([chats, messages.length]).toEqual([1, 2]);
    expect(await prisma.$transaction((tx) => tx.message.count({ where: { chat: { userId: 'u' } } }))).toBe(2);
  });

  it.skipIf(databaseKind === 'sqlserver')('executes raw queries', async () => {
    const rows = await prisma.$queryRaw<{ id: string }[]>`SELECT "id" FROM "messages" WHERE "seq" = ${2}`;
    expect(rows).toEqual([{ id: 'm2' }]);
  });
});

type Writer = Pick<PrismaClient, 'chat' | 'message' | 'branch' | '$executeRaw' | '$executeRawUnsafe'>;
const chat = { id: 'x', userId: 'u', metadata: '{}', createdAt: 1, updatedAt: 1, version: 1 };
const update = { data: { userId: 'x' }, where: { id: 'c' } };
const WRITES: Record<string, (client: Writer) => PromiseLike<unknown>> = {
  'Chat.create': (client) => client.chat.create({ data: chat }),
  'Chat.createMany': (client) => client.chat.createMany({ data: [chat] }),
  'Chat.createManyAndReturn': (client) => client.chat.createManyAndReturn({ data: [chat] }),
  'Chat.update': (client) => client.chat.update(update),
  'Branch.update': (client) =>
    client.branch.update({
      where: { chatId_name: { chatId: 'c', name: 'main' } },
      data: { chat: { update: { title: 'nested' } } },
    }),
  'Chat.updateMany': (client) => client.chat.updateMany(update),
  'Chat.updateManyAndReturn': (client) => client.chat.updateManyAndReturn(update),
  'Chat.upsert': (client) => client.chat.upsert({ where: { id: 'c' }, create: chat, update: { userId: 'x' } }),
  'Message.delete': (client) => client.message.delete({ where: { id: 'm2' } }),
  'Message.deleteMany': (client) => client.message.deleteMany(),
  $executeRaw: (client) => client.$executeRaw`UPDATE "chats" SET "userId" = ${'x'}`,
  $executeRawUnsafe: (client) => client.$executeRawUnsafe('DELETE FROM "branches"'),
};

describe('a write', () => {
  const writer = () => prisma as unknown as Writer & Pick<PrismaClient, '$transaction' | '$extends'>;

  it.each(Object.keys(WRITES))('is rejected: %s', async (operation) => {
    const rejection = `${operation} is rejected: parley/prisma only reads; change chats through the GraphQL API or createServer`;
    const write = WRITES[operation]!;
    const before = await database.allRows();
    await expect(write(writer())).rejects.toThrow(rejection);
    await expect(writer().$transaction((tx) => Promise.resolve(write(tx)))).rejects.toThrow(rejection);
    await expect(writer().$transaction([write(writer()) as never])).rejects.toThrow(rejection);
    await expect(write(writer().$extends({ name: 'another' }) as unknown as Writer)).rejects.toThrow(rejection);
    expect(await database.allRows()).toEqual(before);
  });

  const RAW = [
    `UPDATE "chats" SET "userId" = 'x' RETURNING "id"`,
    `INSERT INTO "search_index" ("id", "analyzer") VALUES (7, 7) RETURNING "id"`,
    'DELETE FROM "branches"',
    'DROP TABLE "checkpoints"',
  ];
  it.each(RAW)('in a raw query is rejected: %s', async (statement) => {
    const reason =
      databaseKind === 'sqlserver' ? /cannot restrict a session/ : /read-only transaction|readonly database/;
    const before = await database.allRows();
    await expect(prisma.$queryRawUnsafe(statement)).rejects.toThrow(reason);
    await expect(prisma.$transaction((tx) => tx.$queryRawUnsafe(statement))).rejects.toThrow(reason);
    expect(await database.allRows()).toEqual(before);
  });

  it('is missing in the type', () => {
    expectTypeOf<PrismaReader>().not.toHaveProperty('$executeRaw');
    expectTypeOf<PrismaReader>().not.toHaveProperty('$extends');
    expectTypeOf<PrismaReader['chat']>().toHaveProperty('findMany');
    expectTypeOf<PrismaReader['chat']>().not.toHaveProperty('update');
  });
});

describe('raw queries are rejected before a connection is opened', () => {
  it.each([
    'sqlserver://127.0.0.1:1;database=parley;user=u;password=p',
    'postgresql://u:p@127.0.0.1:1/parley?options=',
  ])('by %s', async (url) => {
    const client = await prismaClient(url);
    await expect(client.$queryRaw`SELECT 1`).rejects.toThrow(
      '$queryRaw is rejected: this database cannot restrict a session to reads, so raw queries could write',
    );
  });
});

describe('a URL', () => {
  it.each([
    ['mysql://127.0.0.1/parley', 'must begin with file:, postgresql:// or sqlserver://'],
    [':memory:', 'parley/prisma cannot open :memory:'],
  ])('is refused: %s', async (url, reason) => {
    await expect(prismaClient(url)).rejects.toThrow(reason);
  });

  it('of a file that is missing fails the first query, and makes no file', async () => {
    const folder = temporaryFolder();
    const client = await prismaClient(`file:${join(folder, 'parley.db')}`);
    await expect(client.chat.count()).rejects.toThrow('unable to open database file');
  });
});
