/** Any changes of drafts and of their chat, on two servers of one database. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/effort.js';
import { createChat } from '../../support/chats/operations.js';
import { openParley } from '../../support/server/parley.js';
import { BEGINNING, command } from './draft-commands.js';
import { Story } from './draft-story.js';

test('drafts on all servers and of all subscribers equal the model after any changes', async () => {
  // Servers without notifications find changes by sweeps.
  const limits = { costLimit: Number.MAX_SAFE_INTEGER };
  const first = await openParley({ limits, sweepIntervalMs: 20 });
  const parleys = [first, await openParley({ limits, sweepIntervalMs: 20, databaseUrl: first.databaseUrl })];
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 15, maxLength: 30 }), async (commands) => {
      const story = new Story(parleys, `chat-${chats++}`);
      await createChat(first, story.chatId);
      try {
        for (const each of BEGINNING) await story.tell(each);
        for (const each of commands) await story.tell(each);
        await story.expectTheSame();
        await story.end();
        await story.expectTheSame();
      } finally {
        for (const { stream } of story.followers) await stream.leave();
      }
    }),
    { numRuns: runs(160) },
  );
  for (const parley of parleys) expect(parley.takeUnexpectedErrors()).toEqual([]);
});
