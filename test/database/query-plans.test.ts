import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_CHECKS } from '../../src/features/all-features.js';
import { checkedRows } from '../../src/features/maintenance/checking/check-database.js';
import { sqlite } from '../../src/database/dialects/sqlite/sqlite.js';
import { openDatabase } from '../../src/database/opening/open.js';
import { changeEverything } from '../support/chats/every-change.js';
import { keyedStatements } from '../support/database/keyed-statements.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

let temporary: TemporaryDatabase;
let database: Database.Database;
beforeAll(async () => {
  temporary = await temporaryDatabase();
  database = new Database(temporary.url.slice('file:'.length), { readonly: true });
});
afterAll(async () => {
  database.close();
  await temporary.remove();
});

function planOf(sql: string, values: readonly unknown[]): string[] {
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
  return rows.map((row) => row.detail);
}

/** The steps of a plan that scan a table or an index, except keys in JSON, rows of the walk, and hits. */
function scansOf(sql: string, values: readonly unknown[]): string[] {
  const walks = Array.from(sql.matchAll(/(?:WITH RECURSIVE|\),)\s+(\w+)\(/g), ([, name]) => name);
  // Names in the statement itself, and names that another part of it reads.
  const derived = Array.from(
    sql.matchAll(/\) (\w+)(?=\s+(?:WHERE|(?:LEFT |CROSS )?JOIN|ORDER BY|\))|\s*$)/g),
    ([, name]) => name,
  );
  return planOf(sql, values).filter((step) => {
    const [, table] = /^SCAN ([a-z_]\w*)/.exec(step) ?? [];
    // An index of the sought rows alone.
    if (step.includes('chats_outdated_title_words')) return false;
    return table !== undefined && !step.includes('VIRTUAL TABLE') && ![...walks, ...derived].includes(table);
  });
}

const statements = keyedStatements(sqlite);

describe('every statement finds its rows by an index', () => {
  it.each(ALL_CHECKS.map((check) => [check.table, check] as const))('checkedRows of %s', (_, check) => {
    const after = check.key.map((name) => (/seq|Offset/.test(name) ? 1 : 'c'));
    const { sql, values } = checkedRows(sqlite.differences, check, after, 9);
    expect(scansOf(sql, values)).toEqual([]);
  });

  it.each(Object.entries(statements))('%s', (_, forms) => {
    for (const { sql, values } of forms) expect(scansOf(sql, values)).toEqual([]);
  });

  it.each([
    ['leafBelow', 'messages_chatId_parentId_siblingIndex_key (chatId=? AND parentId=?)'],
    ['newestChildren', 'messages_chatId_parentId_siblingIndex_key (chatId=? AND parentId=?)'],
    ['childCounts', 'messages_chatId_parentId_siblingIndex_key (chatId=? AND parentId=?)'],
    ['children', '(chatId=? AND parentId=? AND siblingIndex>? AND siblingIndex<?)'],
    ['messageRanges', '(chatId=? AND seq>? AND seq<?)'],
    ['events', '(chatId=? AND seq>? AND seq<?)'],
    ['activeBranches', 'branches_one_active_per_chat'],
    ['branchesByName', '(chatId=? AND name=?)'],
    ['branchesAt', '(chatId=? AND headMessageId=?)'],
    ['checkpointsByName', '(chatId=? AND name=?)'],
    ['checkpointsAt', '(chatId=? AND messageId=?)'],
  ] as const)('%s goes by all of %s, and reads no more of the chat', (name, index) => {
    for (const { sql, values } of statements[name]) expect(planOf(sql, values).join('\n')).toContain(index);
  });

  it('also in the other statements of a change', async () => {
    const sent = new Set<string>();
    const { store, reads } = await openDatabase({ url: temporary.url, onStatement: (sql) => sent.add(sql) });
    await changeEverything(store, reads);
    await store.close();

    expect([...sent].filter((sql) => sql.includes('DELETE FROM')).length).toBeGreaterThanOrEqual(2);
    for (const sql of sent) {
      const values = Array.from(sql.matchAll(/\?/g), () => null);
      expect({ sql, scans: scansOf(sql, values) }).toEqual({ sql, scans: [] });
    }
  });
});

describe('the list of chats', () => {
  const at = { updatedAt: 5, id: 'c' };
  const ranges = [
    { after: null, before: null },
    { after: at, before: null },
    { after: null, before: at },
    { after: at, before: at },
  ];
  const metadata = ['"x"', '1', 'true', 'null', '{}'].map((equals) => ({ key: 'k', equals }));

  it.each([
    ["everybody's", { userId: null, metadata: [] }, 'chats_updatedAt_id_idx'],
    ["one user's", { userId: 'u', metadata: [] }, 'chats_userId_updatedAt_id_idx'],
    ["everybody's with certain metadata", { userId: null, metadata }, 'chats_updatedAt_id_idx'],
    ["one user's with certain metadata", { userId: 'u', metadata }, 'chats_userId_updatedAt_id_idx'],
  ])('is read in its order along its index, and never sorted: %s', (_, filter, index) => {
    for (const range of ranges) {
      for (const order of ['newest', 'oldest'] as const) {
        const { sql, values } = sqlite.chats(filter, range, order, 20);
        const plan = planOf(sql, values);
        expect(plan[0]).toMatch(new RegExp(`^(SCAN|SEARCH) c USING INDEX ${index}\\b`));
        expect(plan.join('\n')).not.toContain('TEMP B-TREE');
        // From the cursor on, not from the beginning of the list.
        if (range.after !== null || filter.userId !== null) expect(scansOf(sql, values)).toEqual([]);
      }
    }
  });

  it('is read in its order when a filter searches words of titles', () => {
    for (const userId of [null, 'u']) {
      for (const range of ranges) {
        const filter = { userId, metadata, updatedAfter: 1, updatedBefore: 9 };
        const { sql, values } = sqlite.filterSteps.listed(filter, range, 'newest', 20, null);
        const plan = planOf(sql, values).join('\n');
        expect(plan).toMatch(/^SEARCH c USING INDEX chats_(userId_)?updatedAt_id_idx\b/);
        expect(plan).not.toContain('TEMP B-TREE');
      }
    }
  });

  it('is counted without reading the rows if the filter has no metadata', () => {
    for (const userId of [null, 'u']) {
      const { sql, values } = sqlite.chatCount({ userId, metadata: [] });
      expect(planOf(sql, values)[0]).toMatch(/USING COVERING INDEX/);
    }
  });
});
