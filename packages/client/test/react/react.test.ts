/** The hooks in React: under StrictMode, in concurrent rendering and on a server. */
import { createElement as h, memo, StrictMode, useEffect, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { Message, Parley, ThreadStore } from '../../src/client.js';
import { DraftWriter } from '../../src/writes/draft-writer.js';
import {
  ChatProvider,
  MessageTreeSync,
  ParleyProvider,
  useChats,
  useDraft,
  useSearch,
  useSiblings,
  useThread,
  type Thread,
} from '../../src/react/react.js';
import { withThreads } from '../../src/zustand/with-threads.js';
import { openTab, sendTexts, startChat } from '../open-parley.js';
import { render } from './react-renderer.js';

/** A chat of an application, which records its last props and counts the renders of each message. */
function chatApp() {
  const renders = new Map<string, number>();
  let thread: Thread | undefined;
  const Line = memo(function Line({ message }: { message: Message }): ReactNode {
    renders.set(message.text, (renders.get(message.text) ?? 0) + 1);
    const info = useSiblings(message.id);
    const arrows = info !== null && info.siblingCount > 1 ? ` ${info.siblingIndex + 1}/${info.siblingCount}` : '';
    return `${message.text}${arrows}${message.status === undefined ? '' : '…'}; `;
  });
  function Chat(): ReactNode {
    thread = useThread('c');
    return thread.thread.map((message) => h(Line, { key: message.id, message }));
  }
  const options = { writer: DraftWriter };
  const app = (parley: Parley) =>
    h(ParleyProvider, { parley, thread: options }, h(ChatProvider, { chatId: 'c' }, h(Chat)));
  return { app, renders, thread: () => thread! };
}

const shows = (view: { text(): string }, text: string) => expect.poll(() => view.text()).toBe(text);

test('a new message renders only itself', async () => {
  const server = await startChat(...Array.from({ length: 30 }, (_, n) => `m${n}`));
  const { app, renders, thread } = chatApp();
  const view = render(app(openTab(server).parley));
  await expect.poll(() => thread().status).toBe('live');
  expect(renders.size).toBe(30);
  renders.clear();
  await sendTexts(server.tab, 'new');
  await expect.poll(() => view.text()).toContain('new');
  expect([...renders]).toEqual([['new', 1]]);
  renders.clear();
  // A sibling changes only the arrows of the other version.
  await thread().store.regenerate('new', 'newer', { id: 'newer' });
  await expect.poll(() => view.text()).toContain('m29; newer 2/2; ');
  await thread().store.switchToSibling('new');
  await expect.poll(() => view.text()).toContain('m29; new 1/2; ');
  expect([...renders.keys()]).toEqual(['newer', 'new']);
  expect(view.errors).toEqual([]);
});

test('StrictMode opens a chat once, and unmounting closes all connections', async () => {
  const server = await startChat('hello');
  const tab = openTab(server);
  const { app } = chatApp();
  const view = render(h(StrictMode, null, app(tab.parley)));
  await shows(view, 'hello; ');
  await expect.poll(() => server.followers()).toBe(2);
  expect(tab.requests).toEqual(['OpenThread', 'socket']);
  view.unmount();
  await expect.poll(() => server.followers()).toBe(0);
  expect(view.errors).toEqual([]);
});

test('a server renders an empty chat without requests', async () => {
  const server = await startChat('hello');
  const tab = openTab(server);
  const { app } = chatApp();
  expect(renderToString(app(tab.parley))).toBe('');
  expect(tab.requests).toEqual([]);
});

test('a draft is shown as it grows', async () => {
  const server = await startChat('q');
  const { app, thread, renders } = chatApp();
  function Growing(): ReactNode {
    const draft = useDraft();
    return draft === null ? 'silence' : `${draft.chunks.length} chunks`;
  }
  const { parley } = openTab(server);
  const view = render(app(parley));
  const aside = render(h(ParleyProvider, { parley }, h(ChatProvider, { chatId: 'c' }, h(Growing))));
  await expect.poll(() => thread().status).toBe('live');
  const outcome = await thread().store.write();
  if (!outcome.ok) throw outcome.error;
  outcome.value.append('so');
  await shows(view, 'q; so…; ');
  await shows(aside, '1 chunks');
  await outcome.value.finish();
  await shows(view, 'q; so; ');
  await shows(aside, 'silence');
  expect(renders.get('q')).toBe(1);
});

test('chat lists and searches are live', async () => {
  const server = await startChat('a needle', 'hay');
  function Search({ query }: { query: string }): ReactNode {
    const { hits } = useSearch(query, { delay: 0 });
    const { chats } = useChats();
    return `${chats.map(({ id, lastMessage }) => `${id}: ${lastMessage?.preview}`).join()} | ${hits
      .map(({ message }) => message.id)
      .join()}`;
  }
  const { parley } = openTab(server);
  const view = render(h(ParleyProvider, { parley }, h(Search, { query: '' })));
  await shows(view, 'c: hay | ');
  view.render(h(ParleyProvider, { parley }, h(Search, { query: 'needle' })));
  await shows(view, 'c: hay | a needle');
  await sendTexts(server.tab, 'more');
  await shows(view, 'c: more | a needle');
  view.unmount();
});

test('a chat list creates, renames and deletes immediately, and reverts refused changes', async () => {
  const server = await startChat('hello');
  const held: (() => void)[] = [];
  const { parley } = openTab(server, {
    fetch: async (url, init) => {
      if ((init?.body as string).includes('mutation')) await new Promise<void>((go) => held.push(go));
      return fetch(url, init);
    },
  });
  /** Sends the next change to the server. */
  const release = async <Value>(changed: Promise<Value>) => {
    await expect.poll(() => held).toHaveLength(1);
    held.pop()!();
    return changed;
  };
  let list: ReturnType<typeof useChats> | undefined;
  function List(): ReactNode {
    list = useChats();
    return list.chats.map(({ id, title }) => `${id}: ${title ?? '-'}; `);
  }
  const view = render(h(ParleyProvider, { parley }, h(List)));
  await shows(view, 'c: -; ');
  const created = list!.create({ id: 'new', title: 'New' });
  await shows(view, 'new: New; c: -; ');
  expect(await release(created)).toMatchObject({ ok: true, value: { id: 'new', title: 'New' } });
  const renamed = list!.rename('c', 'Old');
  await shows(view, 'new: New; c: Old; ');
  expect(await release(renamed)).toMatchObject({ ok: true, value: { title: 'Old' } });
  await shows(view, 'c: Old; new: New; ');
  const refused = list!.rename('c', 'x'.repeat(256));
  await shows(view, `c: ${'x'.repeat(256)}; new: New; `);
  expect(await release(refused)).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } });
  await shows(view, 'c: Old; new: New; ');
  const deleted = list!.delete('c');
  await shows(view, 'new: New; ');
  expect(await release(deleted)).toMatchObject({ ok: true });
  // Deleting a deleted chat succeeds, and creating an existing id returns that chat.
  expect(await release(list!.delete('c'))).toMatchObject({ ok: true });
  expect(await release(list!.create({ id: 'new', title: 'Other' }))).toMatchObject({ value: { title: 'New' } });
  expect((await server.ask('{ chats { edges { node { id title } } } }')).data).toEqual({
    chats: { edges: [{ node: { id: 'new', title: 'New' } }] },
  });
  await shows(view, 'new: New; ');
});

test('a filtered chat list follows the changes of chats that match', async () => {
  const server = await startChat('hello');
  const { parley } = openTab(server);
  let list: ReturnType<typeof useChats> | undefined;
  function List(): ReactNode {
    list = useChats({ title: 'porto', includeShared: false });
    return list.chats.map(({ title }) => `${title}; `);
  }
  function All(): ReactNode {
    return `of ${useChats().chats.length}`;
  }
  const view = render(h(ParleyProvider, { parley }, h(List), h(All)));
  await shows(view, 'of 1');
  await server.ask('mutation { createChat(input: { id: "a", title: "Lisbon" }) { __typename } }');
  await server.ask('mutation { createChat(input: { id: "b", title: "Porto" }) { __typename } }');
  await shows(view, 'Porto; of 3');
  await server.ask('mutation { updateChat(input: { chatId: "a", title: "Porto and Lisbon" }) { __typename } }');
  await shows(view, 'Porto and Lisbon; Porto; of 3');
  await server.ask('mutation { updateChat(input: { chatId: "b", title: "Faro" }) { __typename } }');
  await shows(view, 'Porto and Lisbon; of 3');
  await server.ask('mutation { deleteChat(input: { chatId: "a" }) { __typename } }');
  await shows(view, 'of 2');
});

test('a search reads its next page on request', async () => {
  const server = await startChat('needle 1', 'needle 2', 'needle 3');
  let search: ReturnType<typeof useSearch> | undefined;
  function Search(): ReactNode {
    search = useSearch('needle', { first: 2, delay: 0 });
    return `${search.hits.length}${search.hasMore ? '+' : ''}`;
  }
  const view = render(h(ParleyProvider, { parley: openTab(server).parley }, h(Search)));
  await shows(view, '2+');
  // Two presses of the button read one page.
  await Promise.all([search!.loadMore(), search!.loadMore()]);
  await shows(view, '3');
  expect(new Set(search!.hits.map(({ message }) => message.id)).size).toBe(3);
  await search!.loadMore();
  expect(view.text()).toBe('3');
});

test('two panes show two branches of a chat over one connection', async () => {
  const server = await startChat('q', 'a');
  const other = server.tab.thread('c');
  await other.open();
  await other.edit('q', 'q2', { id: 'q2' });
  const [main] = other.getState().branches;
  const tab = openTab(server);
  let store: ThreadStore | undefined;
  const Line = ({ message: { id, text } }: { message: Message }) => {
    const { siblingIndex = 0, siblingCount = 0 } = useSiblings(id) ?? {};
    return `${text} ${siblingIndex + 1}/${siblingCount}; `;
  };
  function Pane({ branch }: { branch?: string }): ReactNode {
    const thread = useThread('c', { branch });
    if (branch === undefined) store = thread.store;
    return h(
      ChatProvider,
      { chatId: 'c', branch },
      thread.thread.map((message) => h(Line, { key: message.id, message })),
    );
  }
  const provide = (node: ReactNode) => h(ParleyProvider, { parley: tab.parley }, node);
  const view = render(provide([h(Pane, { key: 1 }), ' | ', h(Pane, { key: 2, branch: main!.name })]));
  await shows(view, 'q2 2/2;  | q 1/2; a 1/1; ');
  expect(tab.requests.filter((name) => name === 'socket')).toHaveLength(1);
  // A pane with another store is another view of the same chat.
  function Beside(): ReactNode {
    return useThread(store!, { branch: main!.name }).thread.map(({ text }) => text);
  }
  view.render(provide(h(Beside)));
  await shows(view, 'qa');
  expect(view.errors).toEqual([]);
});

test('MessageTreeSync "fetches the full message tree from the server ... and feeds it into the Zustand store with setAllMessages. It also handles resetting state when navigating to the home page"', async () => {
  const server = await startChat('q', 'a');
  const tab = openTab(server);
  const other = tab.thread('c');
  await other.open();
  await other.edit('q', 'q2', { id: 'q2' });
  const store = createStore(withThreads<Message, { messages: Message[] }>(() => ({ messages: [] })));
  const cache = new Map<string, number>();
  const queryClient = {
    setQueryData: (key: readonly unknown[], messages: readonly Message[]) => cache.set(key.join(' '), messages.length),
  };
  const sync = (chatId: string | null) =>
    h(
      ParleyProvider,
      { parley: tab.parley },
      h(MessageTreeSync, { chatId, setAllMessages: store.getState().setAllMessages, queryClient }),
    );
  const view = render(sync('c'));
  const messageIds = () => store.getState().allMessages.map(({ id }) => id);
  await expect.poll(() => messageIds()).toEqual(['q', 'a', 'q2']);
  await sendTexts(server.tab, 'more');
  await expect.poll(() => messageIds()).toEqual(['q', 'a', 'q2', 'more']);
  expect(cache.get('parley tree c')).toBe(4);
  view.render(sync(null));
  await expect.poll(() => messageIds()).toEqual([]);
  expect(view.text()).toBe('');
});

test('hooks throw an error that names the missing provider', () => {
  const Lost = () => void useThread('c');
  function Alone(): ReactNode {
    useEffect(() => {});
    return h(Lost as unknown as () => ReactNode);
  }
  expect(() => renderToString(h(Alone))).toThrow('ParleyProvider is missing');
});
