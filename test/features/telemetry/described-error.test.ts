/** Logged errors contain no text of users. */
import { GraphQLError } from 'graphql';
import sql, { raw } from 'sql-template-tag';
import { expect, it, onTestFinished } from 'vitest';
import { DatabaseUnavailableError } from '../../../src/conversation/errors.js';
import { describedError } from '../../../src/features/telemetry/described-error.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';

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

it('has the type, the message and the stack', () => {
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
])('omits quoted texts, and all lines except the first: %s', (message, logged) => {
  expect(describedError(new Error(message.replaceAll('TEXT', SECRET))).message).toBe(logged);
});

it('omits the message of parsers, which repeat their input, also from the stack', async () => {
  const error = await failureOf(() => JSON.parse(SECRET) as unknown);
  expect(String(error)).toContain(SECRET.slice(0, 5));
  const described = describedError(error);
  expect(described).toEqual({ type: 'SyntaxError', stack: expect.any(Array) as string[] });
  expect(JSON.stringify(described)).not.toContain(SECRET.slice(0, 5));
});

it('a stack contains no line of the message, even if it looks like a stack line', () => {
  const pasted = `my question:\n    at ${SECRET} (/home/${SECRET}/merger.ts:10:5)\nwhy?\n    at ${SECRET}:1:1`;
  const error = new TypeError(pasted);
  const described = describedError(error);
  expect(JSON.stringify(described)).not.toContain(SECRET);
  expect(described.stack?.[0]).toMatch(/^at .*described-error\.test\.ts:\d+:\d+/);
});

it('a stack that begins with another message than its error is omitted, because its end is unknown', () => {
  for (const message of ['another', 'merger.ts:10:5)', '']) {
    const error = new TypeError(`my question:\n    at ${SECRET} (merger.ts:10:5)\n    at ${SECRET}:1:1`);
    // V8 creates the stack at its first use.
    expect(error.stack).toContain(SECRET);
    error.message = message;
    expect(describedError(error)).toEqual({ type: 'TypeError', message });
  }
});

it('an error without a message has its stack, too', () => {
  expect(describedError(new Error()).stack?.[0]).toMatch(/^at .*described-error\.test\.ts:\d+:\d+/);
});

it('follows causes, and stops at a cycle', () => {
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

it('names the field of a GraphQL error, but no alias or path of the client', () => {
  const nodes = [{ kind: 'Field', name: { kind: 'Name', value: 'chat' } }] as never;
  const error = new GraphQLError(SECRET, { nodes, path: [SECRET], originalError: new Error('broken') });
  const described = describedError(error);
  expect(described).toMatchObject({ type: 'GraphQLError', field: 'chat', cause: { message: 'broken' } });
  expect(JSON.stringify(described)).not.toContain(SECRET);
});

it('names only the type of a value that is not an error', () => {
  expect(describedError(SECRET)).toEqual({ type: 'string' });
});

it('includes the code of the driver, such as for a full disk', async () => {
  const { connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  await connection.write('x', (tx) => tx.rows(sql`PRAGMA max_page_count = 1`));
  // More than the free pages of the file.
  const fill = () =>
    connection.write('x', (tx) => tx.run(sql`CREATE TABLE "full" AS SELECT ${SECRET}, zeroblob(1000000) AS "text"`));
  const described = describedError(await failureOf(fill));
  expect(described).toMatchObject({
    type: 'DatabaseUnavailableError',
    cause: { type: 'SqliteError', details: { code: 'SQLITE_FULL' } },
  });
  expect(JSON.stringify(described)).not.toContain(SECRET);
});

it("includes the number of SQL Server's error, because its driver has one code for all", () => {
  class RequestError extends Error {}
  const details = { code: 'EREQUEST', number: 2628, serverName: SECRET, procName: SECRET };
  const error = Object.assign(new RequestError(`Truncated value: '${SECRET}'`), details);
  const described = describedError(error);
  expect(described).toMatchObject({ type: 'RequestError', details: { code: 'EREQUEST', number: '2628' } });
  expect(JSON.stringify(described)).not.toContain(SECRET);
});

it('treats a missing column as text of a user', async () => {
  const { connection, remove } = await temporaryDatabase();
  onTestFinished(remove);
  const search = () =>
    connection.read((db) => db.rows(sql`SELECT 1 FROM "messages_fts" WHERE "messages_fts" MATCH ${`${WORD}:x`}`));
  const error = await failureOf(search);
  expect(String(error)).toContain(WORD);
  expect(describedError(error)).toMatchObject({ type: 'SqliteError', details: { code: 'SQLITE_ERROR' } });
  expect(JSON.stringify(describedError(error))).not.toContain(WORD);
});

it("omits the values in the driver's errors", async () => {
  const { connection, remove } = await temporaryDatabase();
  const statements = [
    raw(`SELECT '${SECRET}' AS "a" FROM nothing_here`),
    raw(`SELECT "${SECRET}"."a"`),
    sql`SELECT json_extract(${`{"${SECRET}`}, '$')`,
    sql`INSERT INTO "chats" ("id", "title") VALUES (${SECRET}, ${SECRET}) RETURNING "id"`,
    sql`SELECT ${{ [SECRET]: SECRET }}`,
  ];
  const failures = await Promise.all(
    statements.map((statement) => failureOf(() => connection.write('x', (tx) => tx.rows(statement)))),
  );
  await remove();
  const described = failures.map((error) => describedError(error));
  expect(described).toMatchObject([
    { type: 'SqliteError', details: { code: 'SQLITE_ERROR' } },
    { type: 'SqliteError', details: { code: 'SQLITE_ERROR' } },
    { type: 'SqliteError', details: { code: 'SQLITE_ERROR' } },
    { type: 'SqliteError', details: { code: 'SQLITE_CONSTRAINT_NOTNULL' } },
    { type: 'TypeError' },
  ]);
  expect(JSON.stringify(described)).not.toContain(SECRET);
});
