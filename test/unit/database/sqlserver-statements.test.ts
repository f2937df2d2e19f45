/** What SQL Server would take otherwise than it is meant, by the statements that it is sent. */
import { describe, expect, it } from 'vitest';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';

const event = { chatId: 'c', seq: 1, type: 'ChatUpdated' as const, actorId: 'u', payload: '{}', createdAt: 0 };
const dialect = sqlserver('dbo', { hasFullTextIndex: false });

describe('a list', () => {
  it.each([0, 1, 100])('of %i is declared as all others are: as a text that is too long for a length', (length) => {
    const ids = Array.from({ length }, (_, n) => `id-${n}`);
    const events = ids.map((payload, n) => ({ ...event, seq: n, payload }));
    for (const { values } of [dialect.branchesById(ids), dialect.insertEvents(events)]) {
      const lists = values.filter((value) => String(value).startsWith('['));
      expect(lists.map((list) => String(list).length > 4_000)).not.toContain(false);
      expect(lists).not.toEqual([]);
    }
  });
});

describe('a walk through all rows', () => {
  it('begins without an empty text, behind which ids of control characters do not come', () => {
    const start = { chatId: '', seq: 0 };
    const end = { chatId: '\u0001', seq: 5 };
    for (const { values, sql } of [
      dialect.deletionsNaming('u', '', 5),
      dialect.renameInDeletions('actorId', 'u', 'erased', { after: '', to: '\u0001' }),
      dialect.eventsBy('u', start, 5),
      dialect.renameInEvents('u', 'erased', { after: start, to: end }),
    ]) {
      expect({ sql, values }).toEqual({ sql, values: expect.not.arrayContaining(['']) as unknown });
    }
    expect(dialect.deletionsNaming('u', '\u0001', 5).values).toContain('\u0001');
    expect(dialect.eventsBy('u', end, 5).values).toContain('\u0001');
  });
});
