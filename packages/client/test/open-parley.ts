/** Clients of a server that listens in this process. */
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { rawDatabase } from '../../../test/support/database/raw-database.js';
import { startProxy, type TcpProxy } from '../../../test/support/server/tcp-proxy.js';
import { startListening, type ListeningServer } from '../../../test/support/server/listening-server.js';
import { createParley, ThreadStore, type Parley, type ParleyOptions } from '../src/client.js';
import { DraftWriter } from '../src/writes/draft-writer.js';
import { CreateChat, SaveMessages } from '../src/generated/operations.js';
import type { Outcome, ThreadOptions } from '../src/client.js';

export interface Tab {
  parley: Parley;
  /** The requests so far: the names of operations over HTTP, and `socket` for a WebSocket. */
  requests: string[];
  /** Breaks all sockets, like a failing network. */
  cut(): void;
  /** Stops reading from its sockets until `release`. */
  hold(): void;
  release(): void;
  thread(chatId: string, options?: ThreadOptions): ThreadStore;
}

/** A separate client, like a tab of a browser. */
export function openTab(server: Pick<ListeningServer, 'url'>, options: Partial<ParleyOptions> = {}): Tab {
  const requests: string[] = [];
  const sockets = new Set<WebSocket>();
  let isHeld = false;
  class Socket extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol);
      requests.push('socket');
      sockets.add(this);
      // A socket that is still connecting ignores a pause.
      this.once('open', () => isHeld && this.pause());
    }
  }
  const parley = createParley({
    url: server.url,
    webSocket: Socket,
    retryDelay: () => 20,
    fetch: (url, init) => {
      requests.push(/(?:query|mutation) (\w+)/.exec(init?.body as string)?.[1] ?? '');
      return fetch(url, init);
    },
    ...options,
  });
  onTestFinished(() => parley.close());
  return {
    parley,
    requests,
    cut: () => sockets.forEach((socket) => socket.terminate()),
    hold: () => {
      isHeld = true;
      sockets.forEach((socket) => socket.pause());
    },
    release: () => {
      isHeld = false;
      sockets.forEach((socket) => socket.resume());
    },
    thread(chatId, threadOptions) {
      const store = new ThreadStore(parley, chatId, { writer: DraftWriter, ...threadOptions });
      onTestFinished(() => store.close());
      return store;
    },
  };
}

/** A tab on a network that can drop all traffic; it detects this within a short time. */
export async function openFarTab(
  server: Pick<ListeningServer, 'url'>,
  options: Partial<ParleyOptions> = {},
): Promise<Tab & { network: TcpProxy }> {
  const url = new URL(server.url);
  const network = await startProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(network.port);
  return { network, ...openTab({ url: url.href }, { pingMs: 150, timeoutMs: 600, ...options }) };
}

/** A server with a chat `c` that has these messages in one thread; each id is the message's text. */
export async function startChat(...texts: string[]): Promise<ListeningServer & { tab: Tab }> {
  const server = await startListening({ sweepIntervalMs: 100 });
  const tab = openTab(server);
  await tab.parley.run(CreateChat, { input: { id: 'c' } });
  if (texts.length > 0) await sendTexts(tab, ...texts);
  return { ...server, tab };
}

export async function sendTexts({ parley }: Tab, ...texts: string[]): Promise<void> {
  for (let n = 0; n < texts.length; n += 500) {
    const messages = texts.slice(n, n + 500).map((text) => ({ id: text, name: 'user', content: { text } }));
    await parley.run(SaveMessages, { input: { chatId: 'c', messages } });
  }
}

/** Makes all drafts older than their idle timeouts. */
export async function abandon({ databaseUrl }: Pick<ListeningServer, 'databaseUrl'>): Promise<void> {
  await (await rawDatabase(databaseUrl)).run('UPDATE drafts SET "updatedAt" = "updatedAt" - 61000');
}

/** The writes among the requests of a tab. */
export const writesOf = ({ requests }: Tab) => requests.filter((name) => !/^(OpenThread|Read|socket)/.test(name));

/** The texts of the shown thread. */
export const shown = (store: ThreadStore) =>
  store
    .getState()
    .thread.map(({ text }) => text)
    .join(' ');

/** Settles when a store shows this thread. */
export const until = (store: ThreadStore, thread: string) =>
  store.when(() => shown(store) === thread && store.getState().status === 'live');

/** @throws the error of an outcome */
export function valueOf<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}
