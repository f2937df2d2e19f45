/** Statements whose plain form SQL Server would treat differently from other databases. */
import { describe, expect, it } from 'vitest';
import { sqlserver } from '../../../src/database/dialects/sqlserver/sqlserver.js';
import { UNSET_MESSAGE_COLUMNS } from '../../../src/conversation/tables.js';

const event = { chatId: 'c', seq: 1, type: 'ChatUpdated' as const, actorId: 'u', payload: '{}', createdAt: 0 };
const dialect = sqlserver('dbo', { hasFullTextIndex: false });

describe('a list', () => {
  it.each([0, 1, 100])('of %i values is declared as every list: as text of unlimited length', (length) => {
    const ids = Array.from({ length }, (_, n) => `id-${n}`);
    const events = ids.map((payload, n) => ({ ...event, seq: n, payload }));
    for (const { values } of [dialect.branchesById(ids), dialect.insertEvents(events)]) {
      const lists = values.filter((value) => String(value).startsWith('['));
      expect(lists.map((list) => String(list).length > 4_000)).not.toContain(false);
      expect(lists).not.toEqual([]);
    }
  });
});

describe('a filter of titles', () => {
  it('reads the chats with outdated words before words, because a later statement may read what others wrote meanwhile', () => {
    const { sql } = dialect.titleCandidates([{ term: 'tram', isPrefix: false }], 9);
    expect(sql.indexOf('hasOutdatedWords')).toBeLessThan(sql.indexOf('chat_title_words'));
  });

  it('skips locked chats when it writes words', () => {
    expect(dialect.lockTitle('c').sql).toMatch(/WITH \(UPDLOCK, ROWLOCK, READPAST\)/);
  });
});

describe('a walk through all rows', () => {
  it('starts without an empty text, because ids of control characters sort before it', () => {
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
});

describe('a statement has few forms, each of which has a plan on the server', () => {
  const message = {
    ...UNSET_MESSAGE_COLUMNS,
    chatId: 'c',
    name: 'user',
    type: 'message',
    createdAt: 0,
    preview: '',
    jumpId: 'm',
    createdBy: 'u',
  };
  const forms = (texts: readonly string[]) =>
    texts.map((data, n) => {
      const placed = { parentId: n % 2 === 0 ? null : 'p', depth: 1, seq: n + 1, siblingIndex: 0 };
      return dialect.insertMessages([{ ...message, ...placed, id: `m${n}`, data }]).sql;
    });

  it('for any combination and order of frequent characters in its texts', () => {
    expect(new Set(forms(['"', '"\\', '\\"', '\n"', '~\n\\"', '"~', '\\']))).toHaveLength(1);
  });

  it('and one more for texts without escapes', () => {
    expect(new Set(forms(['1', 'true', '"a"', '{"a":"\\n"}']))).toHaveLength(2);
  });
});

describe('a change locks the rows of its chat only', () => {
  const branch = {
    id: 'b',
    chatId: 'c',
    name: 'main',
    headMessageId: 'm',
    isActive: true,
    createdAt: 0,
    seq: 1,
    createdBy: 'u',
    messageCount: 1,
  };

  it('when it updates branches', () => {
    const { sql } = dialect.updateBranches('c', [branch]);
    expect(sql).toMatch(/b WITH \(FORCESEEK\) ON b."id" = k."id" AND b."chatId" = \? OPTION \(LOOP JOIN\)$/);
  });

  it('when it deletes texts', () => {
    const { sql, values } = dialect.deleteTexts({ chatId: 'c', firstSeq: 1, lastSeq: 2 });
    expect(sql).toMatch(/t WITH \(FORCESEEK\)\s+JOIN .* m WITH \(FORCESEEK\)/);
    expect(sql).toMatch(/OPTION \(LOOP JOIN\)$/);
    expect(values).toEqual(['c', 'c', 1, 2]);
  });

  it('when it inserts rows: the foreign keys are checked by seeks, the long texts are read once', () => {
    expect(dialect.insertBranches([branch]).sql.trim()).toMatch(/OPTION \(LOOP JOIN\)$/);
    expect(dialect.insertEvents([event]).sql).toContain('INNER HASH JOIN');
  });
});
