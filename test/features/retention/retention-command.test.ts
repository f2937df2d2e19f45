import { describe, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { LOCAL_ADMIN } from '../../../src/conversation/access/ownership.js';
import { command } from '../../../src/features/retention/command.js';
import { atDatabase } from '../../cli/database-content.js';
import { runHere } from '../../cli/run-here.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';

const TIME = '2020-01-01T00:00:00.000Z';

describe('npm run retention', () => {
  it('lists the chats whose retention has ended, then deletes them', async () => {
    const url = `file:${temporaryFile()}`;
    await atDatabase(url, async ({ store }) => {
      for (const userId of ['ann', '=bob', 'held']) await createChat(store, { userId, isAdmin: false }, { id: userId });
      await createChat(store, LOCAL_ADMIN, { id: 'new' });
    });
    const database = await rawDatabase(url);
    await database.run(`UPDATE chats SET "updatedAt" = ${Date.parse(TIME)} WHERE "id" <> 'new'`);
    await database.run(`INSERT INTO legal_holds VALUES ('USER', 'held', 'case', 'local', 0)`);
    const environment = { DATABASE_URL: url, RETENTION_DAYS: '30', RECOVERY_DAYS: '0' };
    const run = (...args: string[]) => runHere('retention', command, args, { environment });
    const csv = ['chatId,userId,updatedAt,days', `'=bob,'=bob,${TIME},30`, `ann,ann,${TIME},30`];
    expect(await run('--dry-run')).toEqual({ code: 0, out: csv, error: [] });
    const lines = (await run('--dry-run', '--json')).out.map((line) => JSON.parse(line) as unknown);
    expect(lines[1]).toEqual({ chatId: 'ann', userId: 'ann', updatedAt: TIME, days: 30 });
    await database.run(
      `CREATE TRIGGER refused BEFORE DELETE ON chats WHEN OLD."id" = '=bob' BEGIN SELECT RAISE(ABORT, 'no'); END`,
    );
    const refused = ['Chat "=bob" cannot be removed: no'];
    expect(await run()).toEqual({ code: 1, out: [csv[0], csv[2]], error: refused });
    await database.run('DROP TRIGGER refused');
    expect((await run()).out).toEqual(csv.slice(0, 2));
    expect((await run()).out).toEqual(csv.slice(0, 1));
    const left = await database.rows<{ id: string }>('SELECT "id" FROM chats ORDER BY "id"');
    expect(left.map(({ id }) => id)).toEqual(['held', 'new']);
  });
});
