/** Statements whose plain form SQL Server would treat differently from other databases. */
import { expect, it } from 'vitest';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';

const event = { chatId: 'c', seq: 1, type: 'ChatUpdated' as const, actorId: 'u', payload: '{}', createdAt: 0 };
const dialect = sqlserver('dbo', { hasFullTextIndex: false });

it.each([0, 1, 100])('a list of %i values is declared as every list: as text of unlimited length', (length) => {
  const ids = Array.from({ length }, (_, n) => `id-${n}`);
  const events = ids.map((payload, n) => ({ ...event, seq: n, payload }));
  for (const { values } of [dialect.branchesById(ids), dialect.insertEvents(events)]) {
    const lists = values.filter((value) => String(value).startsWith('['));
    expect(lists.map((list) => String(list).length > 4_000)).not.toContain(false);
    expect(lists).not.toEqual([]);
  }
});

it('a walk through all rows starts without an empty text, because ids of control characters sort before it', () => {
  const start = { chatId: '', seq: 0 };
  const end = { chatId: '\u0001', seq: 5 };
  for (const { values, sql } of [
    dialect.rowsNaming('deleted_chats', 'u', '', 5),
    dialect.replaceUserId({ table: 'deleted_chats', column: 'actorId' }, 'u', 'erased', {
      afterId: '',
      toId: '\u0001',
    }),
    dialect.userIdsAfter('messages', 'createdBy', start, 5),
    dialect.replaceUserId({ table: 'messages', column: 'createdBy' }, 'u', 'erased', { after: start, to: end }),
  ]) {
    expect({ sql, values }).toEqual({ sql, values: expect.not.arrayContaining(['']) as unknown });
  }
  expect(dialect.rowsNaming('deleted_chats', 'u', '\u0001', 5).values).toContain('\u0001');
  expect(dialect.userIdsAfter('messages', 'createdBy', end, 5).values).toContain('\u0001');
});
