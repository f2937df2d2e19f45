/** What is logged of errors: never what somebody has written. */
import { GraphQLError } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import { DatabaseUnavailableError } from '../../src/conversation/errors.js';
import { describedError } from '../../src/telemetry/described-error.js';
import { temporaryDatabase } from '../support/temporary-database.js';

const SECRET = 'what-somebody-wrote';
const WORD = 'whatsomebodywrote';

async function failureOf(job: () => unknown): Promise<unknown> {
  try {
    await job();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail');
}

it('says which kind it is, what it says, and where it came from', () => {
  const { stack, ...described } = describedError(new TypeError('x is not a function'));
  expect(described).toEqual({ type: 'TypeError', message: 'x is not a function' });
  expect(stack?.[0]).toMatch(/^at .*described-error\.test\.ts:\d+:\d+/);
});

it.each([
  ['the text "TEXT" is wrong', 'the text "…" is wrong'],
  ["the text 'TEXT' is wrong", "the text '…' is wrong"],
  ['the text `TEXT` is wrong', 'the text `…` is wrong'],
  ['a quote "TEXT \\" TEXT" in it', 'a quote "…" in it'],
  ['it does not end: "TEXT', 'it does not end: "…"'],
  ["nobody's fault", "nobody's fault"],
  ['one line\nTEXT', 'one line'],
  ['https://user:TEXT@host/keys has credentials', 'https://…@host/keys has credentials'],
  ['no https://TEXT:TEXT@/@host/keys', 'no https://…@host/keys'],
])('leaves out what stands in quotes, and all lines but the first: %s', (message, logged) => {
  expect(describedError(new Error(message.replaceAll('TEXT', SECRET))).message).toBe(logged);
});

it('leaves out the whole message of parsers, which repeat what they were given, also from the stack', async () => {
  const error = await failureOf(() => JSON.parse(SECRET) as unknown);
  expect(String(error)).toContain(SECRET.slice(0, 5));
  const described = describedError(error);
  expect(described).toEqual({ type: 'SyntaxError', stack: expect.any(Array) as string[] });
  expect(JSON.stringify(described)).not.toContain(SECRET.slice(0, 5));
});

it('a stack has no line of a message that looks like one', () => {
  const pasted = `my question:\n    at ${SECRET} (/home/${SECRET}/merger.ts:10:5)\nwhy?\n    at ${SECRET}:1:1`;
  const error = new TypeError(pasted);
  const described = describedError(error);
  expect(JSON.stringify(described)).not.toContain(SECRET);
  expect(described.stack?.[0]).toMatch(/^at .*described-error\.test\.ts:\d+:\d+/);
});

it('a stack that begins with another message than that of its error is left out: nobody knows where that ends', () => {
  for (const message of ['another', 'merger.ts:10:5)', '']) {
    const error = new TypeError(`my question:\n    at ${SECRET} (merger.ts:10:5)\n    at ${SECRET}:1:1`);
    // It is made when it is first asked for.
    expect(error.stack).toContain(SECRET);
    error.message = message;
    expect(describedError(error)).toEqual({ type: 'TypeError', message });
  }
});

it('an error without a message has its stack, too', () => {
  expect(describedError(new Error()).stack?.[0]).toMatch(/^at .*described-error\.test\.ts:\d+:\d+/);
});

it('follows the causes, and does not run in circles', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' });
  const unavailable = new DatabaseUnavailableError('The database cannot be reached', { cause });
  expect(describedError(unavailable)).toMatchObject({
    type: 'DatabaseUnavailableError',
    message: 'The database cannot be reached',
    cause: { type: 'Error', message: 'refused', details: { code: 'ECONNREFUSED', syscall: 'connect' } },
  });
  cause.cause = unavailable;
  expect(JSON.stringify(describedError(unavailable)).match(/ECONNREFUSED/g)).toHaveLength(4);
});

it('names the field of a GraphQL error, and none of the names that a client has given', () => {
  const nodes = [{ kind: 'Field', name: { kind: 'Name', value: 'chat' } }] as never;
  const error = new GraphQLError(SECRET, { nodes, path: [SECRET], originalError: new Error('broken') });
  const described = describedError(error);
  expect(described).toMatchObject({ type: 'GraphQLError', field: 'chat', cause: { message: 'broken' } });
  expect(JSON.stringify(described)).not.toContain(SECRET);
});

it('says no more than its type of what is no error', () => {
  expect(describedError(SECRET)).toEqual({ type: 'string' });
});

it("tells the driver's code of what Prisma has wrapped, such as that the disk is full", async () => {
  const { connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  await connection.write('x', (tx) => tx.$queryRaw`PRAGMA max_page_count = 1`);
  const fill = () => connection.write('x', (tx) => tx.$executeRaw`CREATE TABLE "full" AS SELECT ${SECRET} AS "text"`);
  const described = describedError(await failureOf(fill));
  expect(described).toMatchObject({
    type: 'DatabaseUnavailableError',
    cause: {
      type: 'PrismaClientKnownRequestError',
      details: { code: 'P2010' },
      cause: {
        type: 'DriverAdapterError',
        cause: { type: 'object', details: { originalCode: 'SQLITE_FULL', kind: 'sqlite' } },
      },
    },
  });
  expect(JSON.stringify(described)).not.toContain(SECRET);
});

it('takes a column that is not there for what somebody may have written', async () => {
  const { connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  const query = `${WORD}:x`;
  const search = () =>
    connection.read((db) => db.$queryRaw`SELECT 1 FROM "messages_fts" WHERE "messages_fts" MATCH ${query}`);
  const error = await failureOf(search);
  expect(JSON.stringify(error)).toContain('ColumnNotFound');
  expect(JSON.stringify(describedError(error))).toContain('ColumnNotFound');
  expect(JSON.stringify(describedError(error))).not.toContain(WORD);
});

it("keeps nothing of the values in Prisma's errors and the driver's", async () => {
  const { connection, remove } = await temporaryDatabase();
  const chat = { id: SECRET, userId: SECRET, title: SECRET, createdAt: 1n, updatedAt: 1n };
  const failures = await Promise.all(
    [
      () => connection.write('x', (tx) => tx.$queryRawUnsafe(`SELECT '${SECRET}' AS "a" FROM nothing_here`)),
      () => connection.write('x', (tx) => tx.$queryRaw`SELECT json_extract(${`{"${SECRET}`}, '$')`),
      () => connection.write('x', (tx) => tx.chat.create({ data: { ...chat, nothing: SECRET } as never })),
      () => connection.write('x', (tx) => tx.chat.create({ data: { ...chat, createdAt: SECRET } as never })),
    ].map(failureOf),
  );
  await remove();
  expect(failures.map((error) => describedError(error))).toMatchObject([
    { type: 'PrismaClientKnownRequestError', details: { code: 'P2010' } },
    { type: 'PrismaClientKnownRequestError', details: { code: 'P2010' } },
    { type: 'PrismaClientValidationError' },
    { type: 'PrismaClientValidationError' },
  ]);
  expect(JSON.stringify(failures.map((error) => describedError(error)))).not.toContain(SECRET);
});
