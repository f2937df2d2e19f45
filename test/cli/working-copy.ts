import { expect } from 'vitest';
import { assistantMessage, branchesOf, save, userMessage } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';
import { find } from '../support/chats/search.js';
import { ofChat, contentOf } from './database-content.js';

const QUERIES = ['run', '"run again"', '東京', 'cafe', 'spaced', 'long-77', 'another -walk', 'b*'];

/** Starts servers on both databases: searches and the next save must have the same results. */
export async function expectWorkingCopy(original: string, copy: string): Promise<void> {
  const servers = [await openParley({ databaseUrl: original }), await openParley({ databaseUrl: copy })] as const;
  const [there, here] = servers;
  for (const query of QUERIES) {
    const found = await find(there, query);
    expect(found.length, query).toBeGreaterThan(0);
    expect(await find(here, query), query).toEqual(found);
  }
  await continueChats(there);
  await continueChats(here);
  for (const chatId of ['branched', 'long']) {
    expect(await branchesOf(here, chatId)).toEqual(await branchesOf(there, chatId));
    expect(places(await contentOf(copy), chatId)).toEqual(places(await contentOf(original), chatId));
  }
}

async function continueChats(parley: Parley): Promise<void> {
  await save(parley, { chatId: 'long', messages: [userMessage('new-1'), assistantMessage('new-2')] });
  await save(parley, { chatId: 'branched', branch: 'main', messages: [userMessage('new-3', 'running on')] });
}

/** The messages with all fields except times. */
function places(content: Awaited<ReturnType<typeof contentOf>>, chatId: string) {
  return ofChat(content, chatId).messages.map(({ createdAt: _, ...message }) => message);
}
