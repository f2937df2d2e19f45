/** A session with a chat in two tabs, for any cache. After each step, both tabs must show the server's state. */
import { expect } from 'vitest';
import { startListening } from '../../support/server/listening-server.js';
import type { OpenCache, Resume } from './cache-client.js';
import { Tab } from './cache-tab.js';

const CHAT = 'c';
/** Small, so that there are previous pages. */
const THREAD = { chatId: CHAT, last: 2 };

const newMessage = (name: string, id: string) => ({ id, name, content: { text: `This is ${id}.` } });
/** A message after the last visible one. */
const appendAfter = (expectedHeadId: string | null, ...messages: object[]) => ({
  input: { chatId: CHAT, expectedHead: expectedHeadId === null ? { empty: true } : { id: expectedHeadId }, messages },
});

/** Runs the session. */
export async function runCacheScenario(openCache: OpenCache, resume: Resume): Promise<void> {
  const server = await startListening({});
  const [one, two] = [new Tab('one', server, openCache, resume), new Tab('two', server, openCache, resume)];
  const tabs = [one, two];
  let headUpdates = 0;

  interface Now {
    id: string;
    nodeId: string;
    version: number;
  }
  const now = async () => {
    const { data } = await server.ask('{ chats { edges { node { id nodeId version } } } }');
    const { chats } = data as { chats: { edges: { node: Now }[] } };
    return chats.edges.map(({ node }) => node);
  };
  const chatNow = async () => (await now()).find(({ id }) => id === CHAT)!;
  /** Waits until both tabs are up to date, and checks their state. */
  const settled = async (when: string, newHeadUpdates = 0) => {
    headUpdates += newHeadUpdates;
    const chats = await now();
    for (const tab of tabs) {
      await tab.until(() => chats.every((chat) => tab.hasReceived(chat)) && tab.headUpdates >= headUpdates);
      await tab.check(when);
      expect(tab.headUpdates, `updates of heads in tab ${tab.name}, after: ${when}`).toBe(headUpdates);
    }
  };
  /** Only the first change confirms the subscription to chatChanges. */
  const listIsFollowed = async (tab: Tab) => {
    const before = tab.listUpdates;
    for (let n = 0; tab.listUpdates === before; n++) {
      await server.ask(`mutation { updateChat(input: { chatId: "early", title: "${tab.name} ${n}" }) { __typename } }`);
    }
  };
  const each = async (work: (tab: Tab) => Promise<void>) => void (await Promise.all(tabs.map(work)));

  await each(async (tab) => {
    await tab.show('ChatsQuery');
    tab.followList();
  });
  await server.ask('mutation { createChat(input: { id: "early" }) { __typename } }');
  await each(listIsFollowed);
  await one.change('CreateChatMutation', { input: { id: CHAT, title: 'A day' } });
  await settled('a new chat');

  const { version } = await chatNow();
  await each(async (tab) => {
    await tab.show('ThreadQuery', THREAD);
    await tab.show('PanelQuery', { chatId: CHAT });
    tab.followChat(CHAT, version);
  });
  await one.change('SendMutation', appendAfter(null, newMessage('user', 'q1'), newMessage('assistant', 'a1')));
  await settled('the first words', 1);
  await two.change('SendMutation', appendAfter('a1', newMessage('user', 'q2')));
  await settled('words of the other tab', 1);
  await one.change('SendMutation', appendAfter('q2', newMessage('assistant', 'a2')));
  await settled('an answer', 1);
  await each((tab) => tab.see('q1', 'a1', 'q2', 'a2'));

  await two.reload('ThreadQuery', THREAD);
  await two.pageBack(CHAT, 2);
  await two.check('a look back');
  await one.change('SendMutation', appendAfter('a2', newMessage('user', 'q3')));
  await settled('a message after older pages', 1);
  await two.reload('ThreadQuery', THREAD);
  await two.check('a reload after older pages');

  await one.change('RegenerateMutation', {
    input: { chatId: CHAT, at: { message: 'q2' }, messages: [newMessage('assistant', 'a2-again')] },
  });
  await settled('another answer', 1);
  await each((tab) => tab.see('a2-again'));
  const question = { chatId: CHAT, messageId: 'q1', id: 'q1-edited', branchName: 'edited' };
  await two.change('EditMutation', { input: { ...question, content: { text: 'This is q1, edited.' } } });
  await settled('an edit', 1);
  await each((tab) => tab.see('q1-edited'));
  await one.change('RegenerateMutation', {
    input: { chatId: CHAT, at: { message: 'q1-edited' }, messages: [newMessage('assistant', 'a1-edited')] },
  });
  await settled('an answer to the edit', 1);

  await two.change('ArrowMutation', { input: { chatId: CHAT, messageId: 'q1' } });
  await settled('an arrow back to the first version', 1);
  await one.change('ArrowMutation', { input: { chatId: CHAT, messageId: 'a2' } });
  await settled('an arrow to the first answer', 1);
  await two.change('ArrowMutation', { input: { chatId: CHAT, messageId: 'a2-again', branchName: 'again' } });
  await settled('an arrow to the other answer', 1);

  await one.change('RegenerateMutation', {
    input: { chatId: CHAT, branch: 'main', messages: [newMessage('assistant', 'a3')] },
  });
  await settled('a message on a hidden branch');
  await two.change('SwitchMutation', { input: { chatId: CHAT, name: 'main' } });
  await settled('a switch to them', 1);
  await one.change('RegenerateMutation', {
    input: { chatId: CHAT, branch: 'edited', messages: [newMessage('user', 'q2-edited')] },
  });
  await settled('a message on a branch that was shown before');
  await one.change('SwitchMutation', { input: { chatId: CHAT, name: 'edited' } });
  await settled('a switch back to it', 1);

  await two.change('RenameBranchMutation', { input: { chatId: CHAT, name: 'edited', newName: 'other words' } });
  await settled('another name for the branch', 1);
  await one.change('RenameChatMutation', { input: { chatId: CHAT, title: 'A long day' } });
  await settled('another title');
  await one.change('BookmarkMutation', { input: { chatId: CHAT, name: 'here' } });
  await settled('a bookmark');
  await two.change('BookmarkMutation', { input: { chatId: CHAT, name: 'there', messageId: 'q1' } });
  await two.change('BookmarkMutation', { input: { chatId: CHAT, name: 'here', messageId: 'a1' } });
  await settled('a bookmark that was moved');
  await two.change('DeleteBookmarkMutation', { input: { chatId: CHAT, name: 'here' } });
  await settled('a bookmark that was removed');
  await one.change('DeleteBranchMutation', { input: { chatId: CHAT, name: 'main' } });
  await settled('a branch that was removed');

  two.unplug();
  await one.change('SendMutation', appendAfter('q2-edited', newMessage('assistant', 'a2-edited')));
  await one.change('EditMutation', {
    input: { chatId: CHAT, messageId: 'q2-edited', id: 'q2-better', content: { text: 'This is q2, once more.' } },
  });
  await one.change('RegenerateMutation', {
    input: { chatId: CHAT, at: { message: 'q2-better' }, messages: [newMessage('assistant', 'a2-better')] },
  });
  await one.change('RenameBranchMutation', { input: { chatId: CHAT, name: 'other words', newName: 'first words' } });
  await one.change('DeleteBookmarkMutation', { input: { chatId: CHAT, name: 'there' } });
  await one.change('CreateChatMutation', { input: { id: 'd', title: 'Another day' } });
  two.plugIn();
  await listIsFollowed(two);
  await settled('changes while a tab was offline', 3);

  await two.change('DeleteChatMutation', { input: { chatId: 'd' } });
  await two.change('RenameChatMutation', { input: { chatId: CHAT, title: 'The day that is left' } });
  await settled('a chat that was removed');
  const { nodeId } = await chatNow();
  // Caches keep messages of a deleted chat, but no query reaches them.
  for (const tab of tabs) tab.leave('MessageQuery');
  await one.change('DeleteChatMutation', { input: { chatId: CHAT } });
  for (const tab of tabs) {
    await tab.until(() => tab.removed.has(nodeId));
    await tab.check('the deletion of the chat itself');
  }
}
