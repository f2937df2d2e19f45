import { expect, it } from 'vitest';
import { ChatArchive } from '../../../src/features/exports/archive.js';
import { startWithChats } from '../../auth/access-tokens.js';
import { atDatabase } from '../../cli/database-content.js';
import { addMemberRow } from '../../support/chats/members.js';

it('ends for a removed member', async () => {
  const server = await startWithChats();
  const { remove } = await addMemberRow(server.databaseUrl, 'one', 'bob');
  await atDatabase(server.databaseUrl, async (database) => {
    const archive = new ChatArchive(database.connection);
    expect(await archive.read('one', 'bob')).toBeNull();
    const chat = (await archive.read('one', 'bob', 'READABLE'))!;
    const read = async () => {
      for await (const rows of chat.messages()) expect(rows).toHaveLength(1);
    };
    await read();
    await remove();
    await expect(read()).rejects.toThrow('chat "one" was deleted or transferred, or the member was removed');
    expect(await archive.read('one', 'bob', 'READABLE')).toBeNull();
  });
});
