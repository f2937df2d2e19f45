/**
 * The plans that SQL Server caches for repeated changes: one for each statement text with each declaration of its
 * parameters. The changes run on SQLite; a stand-in for SQL Server's protocol receives its statements for the same
 * calls.
 */
import type { Sql } from 'sql-template-tag';
import { expect, it, onTestFinished } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { appendToDraft } from '../../../src/features/drafts/change-draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { draftSql } from '../../../src/features/drafts/statements.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { Connection, Queryable, Transaction } from '../../../src/database/connection/connection.js';
import { openSqliteMemory } from '../../../src/database/drivers/sqlite.js';
import { openSqlServer } from '../../../src/database/drivers/sqlserver.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { tdsServer } from '../../support/database/tds-server.js';

/** Short and long texts of chats, with code, quotes, tildes, tabs and control characters. */
const TEXTS = [
  'Plain words',
  'Two\nlines',
  'A "quoted" word',
  'if (a) {\n\treturn "b";\n}',
  'C:\\folder\\file',
  '~/.bashrc and ~22',
  'A tab\there',
  'emoji 😀 and 北京',
  'A form feed\f, a bell\u0007 and a\r\nbreak',
  'long '.repeat(1_500),
];
const textOf = (n: number) => `${TEXTS[n % TEXTS.length]} ${'again '.repeat(n)}`;

type Statements = Record<string, (...values: unknown[]) => Sql | Sql[]>;

/** Statements that map to the statements of another database for the same calls. */
function twins<T extends object>(statements: T, other: T, twinsOf: WeakMap<Sql, Sql[]>): T {
  const [own, others] = [statements, other] as unknown as [Statements, Statements];
  const of = (changes: Sql[]) => changes.flatMap((change) => twinsOf.get(change) ?? []);
  const twin = (name: string) => (values: unknown[], made: Sql | Sql[]) => {
    if (!Array.isArray(made)) return void twinsOf.set(made, [others[name]!(...values) as Sql]);
    const combined = others[name]!(of(values[0] as Sql[])) as Sql[];
    made.forEach((each, n) => twinsOf.set(each, n === 0 ? combined : []));
  };
  return new Proxy(statements, {
    get(_, name: string) {
      if (typeof own[name] !== 'function' || name === 'failure' || name === 'metadata') return own[name];
      return (...values: unknown[]) => {
        const made = own[name]!(...values);
        twin(name)(values, made);
        return made;
      };
    },
  });
}

/**
 * A store; `takeStatements` returns the statements with declarations that SQL Server receives for its changes since the
 * last call.
 */
async function openStore(): Promise<{ store: DatabaseStore; takeStatements: () => Promise<string[]> }> {
  const server = await tdsServer();
  const sqlServer = await openSqlServer(parseDatabaseUrl(`${server.url};connectionLimit=100`) as ServerUrl, {});
  const memory = await openSqliteMemory({});
  onTestFinished(async () => void (await Promise.all([sqlServer.close(), memory.close()])));
  const twinsOf = new WeakMap<Sql, Sql[]>();
  const sql = twins(memory.sql, sqlServer.sql, twinsOf);
  const drafts = draftSql(memory.sql);
  Object.assign(drafts, { ...twins({ ...drafts }, draftSql(sqlServer.sql), twinsOf) });
  const sent: Sql[] = [];
  const note = (statement: Sql): Sql => {
    sent.push(...(twinsOf.get(statement) ?? []));
    return statement;
  };
  const noting = <Db extends Queryable>(db: Db): Db => ({
    ...db,
    rows: (statement) => db.rows(note(statement)),
    run: (statement) => db.run(note(statement)),
  });
  const connection: Connection = {
    ...memory,
    sql,
    read: (query, caller) => memory.read((db) => query(noting(db)), caller),
    write: (key, work) =>
      memory.write(key, (tx) => {
        const noted: Transaction = { ...noting(tx), runLast: (statement) => tx.runLast(note(statement)) };
        return work(noted);
      }),
  };
  return {
    store: new DatabaseStore(connection),
    takeStatements: async () => {
      server.asked.length = 0;
      await Promise.all(sent.splice(0).map((statement) => sqlServer.read((db) => db.run(statement))));
      return server.asked.flatMap((text) => /(?:SELECT|UPDATE|INSERT|WITH|DECLARE)[^]*@P1 [\w() ,@]*/.exec(text) ?? []);
    },
  };
}

const counts = (statements: string[]) => ({ statements: statements.length, plans: new Set(statements).size });

it('30 saves of 8 statements have 11 plans: a preview is sent in four forms', async () => {
  const { store, takeStatements } = await openStore();
  await createChat(store, VIEWER, { id: 'c' });
  await takeStatements();
  for (let n = 0; n < 30; n++) {
    await saveMessages(store, VIEWER, { chatId: 'c', messages: [{ name: 'user', content: { text: textOf(n) } }] });
  }
  expect(counts(await takeStatements())).toEqual({ statements: 240, plans: 11 });
});

it('60 appends of 4 statements have 5 plans: chunks are short or long', async () => {
  const { store, takeStatements } = await openStore();
  await createChat(store, VIEWER, { id: 'c' });
  await startDraft(store, VIEWER, { chatId: 'c', id: 'd' });
  await takeStatements();
  for (let offset = 0; offset < 60; offset++) {
    await appendToDraft(store, VIEWER, { chatId: 'c', id: 'd', offset, chunks: [textOf(offset)] });
  }
  expect(counts(await takeStatements())).toEqual({ statements: 240, plans: 5 });
});
