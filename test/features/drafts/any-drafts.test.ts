/** Any changes of drafts and of their chat, on two servers of one database. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/effort.js';
import { createChat } from '../../support/chats/operations.js';
import { openParley } from '../../support/server/parley.js';
import { BEGINNING, command } from './draft-commands.js';
import { DraftScenario } from './draft-scenario.js';

test('drafts on all servers and of all subscribers equal the model after any changes', async () => {
  // Servers without notifications find changes by sweeps.
  const limits = { costLimit: Number.MAX_SAFE_INTEGER };
  const first = await openParley({ limits, sweepIntervalMs: 20 });
  const parleys = [first, await openParley({ limits, sweepIntervalMs: 20, databaseUrl: first.databaseUrl })];
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 15, maxLength: 30 }), async (commands) => {
      const scenario = new DraftScenario(parleys, `chat-${chats++}`);
      await createChat(first, scenario.chatId);
      try {
        for (const each of BEGINNING) await scenario.run(each);
        for (const each of commands) await scenario.run(each);
        await scenario.expectTheSame();
        await scenario.end();
        await scenario.expectTheSame();
      } finally {
        for (const { stream } of scenario.followers) await stream.leave();
      }
    }),
    { numRuns: runs(160) },
  );
  for (const parley of parleys) expect(parley.takeUnexpectedErrors()).toEqual([]);
});
