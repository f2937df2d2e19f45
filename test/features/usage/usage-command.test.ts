import { describe, expect, it } from 'vitest';
import { command } from '../../../src/features/usage/command.js';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { atDatabase } from '../../cli/database-content.js';
import { runHere } from '../../cli/run-here.js';

const HEAD = 'month,userId,model,messages,inputTokens,outputTokens,reasoningTokens,cachedInputTokens';

async function usedDatabase(): Promise<string> {
  const url = `file:${temporaryFile()}`;
  await atDatabase(url, async ({ store }) => {
    for (const [userId, model] of Object.entries({ ann: 'm, "large"', '=bob': '-m' })) {
      const viewer = { userId, isAdmin: false };
      await createChat(store, viewer, { id: userId });
      const metadata = { model, usage: { inputTokens: 12, outputTokens: 34 } };
      await saveMessages(store, viewer, {
        chatId: userId,
        messages: [{ name: 'assistant', content: { data: { metadata } } }],
      });
    }
  });
  await (await rawDatabase(url)).run(`UPDATE monthly_usage SET "month" = '2026-10' WHERE "userId" = 'ann'`);
  await (await rawDatabase(url)).run(`UPDATE monthly_usage SET "month" = '2026-11' WHERE "userId" = '=bob'`);
  return url;
}

describe('npm run usage', () => {
  it('prints CSV, in which a spreadsheet finds no formulas', async () => {
    const environment = { DATABASE_URL: await usedDatabase() };
    const [ann, bob] = [`2026-10,ann,"m, ""large""",1,12,34,,`, `2026-11,'=bob,'-m,1,12,34,,`];
    const run = (...args: string[]) => runHere('usage', command, args, { environment });
    expect(await run()).toEqual({ code: 0, out: [HEAD, ann, bob], error: [] });
    expect((await run('--from', '2026-11')).out).toEqual([HEAD, bob]);
    expect((await run('--to', '2026-10')).out).toEqual([HEAD, ann]);
    expect((await run('--user', '=bob')).out).toEqual([HEAD, bob]);
    const refused = await run('--from', '2026');
    expect(refused.code).toBe(2);
    expect(refused.error.join()).toContain('--from must be a month such as 2026-11');
  });
});
