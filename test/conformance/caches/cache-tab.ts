/** One tab of a browser: the duties of a frontend in addition to its cache, from the table of docs/graphql/caches.md. */
import { createClient } from 'graphql-ws';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { operations } from '../../support/chats/frontend-documents.js';
import type { ListeningServer } from '../../support/server/listening-server.js';
import type { Cache, OpenCache, Resume, Variables } from './cache-client.js';
import { drawn } from './drawn-views.js';

/** The events that change the lists of the panel. */
const PANEL = /^(Branch(Created|Deleted)|Checkpoint(Saved|Deleted))$/;

export class Tab {
  readonly #views = new Map<string, { name: string; variables: Variables }>();
  readonly #sockets: WebSocket[] = [];
  readonly #cache: Cache;
  /** The pending repetitions of queries, by name. */
  readonly #pending = new Map<string, Promise<void>>();
  #wake = () => {};
  /** Resolves when the network is available. */
  #network = Promise.resolve();
  #plugIn = () => {};
  /** The seq of the last event of each open chat. */
  readonly #seqs = new Map<string, number>();
  /** The version of each chat in the list. */
  readonly #versions = new Map<string, number>();
  /** Whether the list was read again, instead of receiving the missed changes. */
  #isBack = false;
  readonly removed = new Set<string>();
  headUpdates = 0;
  listUpdates = 0;

  constructor(
    readonly name: string,
    private readonly server: ListeningServer,
    openCache: OpenCache,
    resume: Resume,
  ) {
    const sockets = this.#sockets;
    class Socket extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols);
        sockets.push(this);
      }
    }
    const client = createClient({
      url: server.webSocketUrl,
      webSocketImpl: Socket,
      retryAttempts: Infinity,
      shouldRetry: () => true,
      retryWait: () => this.#network,
      on: { connected: (_socket, _payload, wasRetry) => void (wasRetry && this.#again('ChatsQuery', {})) },
    });
    this.#cache = openCache(server.url, resume(client));
    onTestFinished(async () => {
      this.#cache.close();
      await client.dispose();
    });
  }

  /** Reads from the cache first, as views do. */
  async show(name: string, variables: Variables = {}): Promise<void> {
    this.#views.set(name + JSON.stringify(variables), { name, variables });
    await this.#cache.ask(name, variables);
  }

  /** Reads an earlier page of a thread; the view grows. */
  async pageBack(chatId: string, last: number): Promise<void> {
    const { chat } = this.#cache.held('ThreadQuery', { chatId, last }) as {
      chat: { activeBranch: { messages: { pageInfo: { startCursor: string } } } };
    };
    await this.#cache.ask('ThreadQuery', { chatId, last, before: chat.activeBranch.messages.pageInfo.startCursor });
  }

  /** Shows messages from now on. */
  async see(...messageIds: string[]): Promise<void> {
    for (const messageId of messageIds) await this.show('MessageQuery', { messageId });
  }

  /** Stops showing a query. */
  leave(name: string): void {
    for (const [key, view] of this.#views) if (view.name === name) this.#views.delete(key);
  }

  reload(name: string, variables: Variables): Promise<void> {
    return this.#cache.ask(name, variables, true);
  }

  async change(name: string, variables: Variables): Promise<void> {
    const answer = JSON.stringify(await this.#cache.change(name, variables));
    expect(answer, `${name} of tab ${this.name}`).toMatch(/^\{"\w+":\{.*"__typename":"\w+Payload"/);
  }

  followList(): void {
    this.#cache.follow('ListSubscription', {}, ({ chatChanges }) => {
      const { kind, chatNodeId = '', version = 0 } = chatChanges!;
      if (kind === 'REMOVED') this.removed.add(chatNodeId);
      else this.#versions.set(chatNodeId, version);
      this.listUpdates++;
      if (kind !== 'CHANGED') this.#again('ChatsQuery', {});
      this.#wake();
    });
  }

  followChat(chatId: string, after: number): void {
    this.#seqs.set(chatId, after);
    this.#cache.follow('EventsSubscription', { chatId, after }, ({ chatEvents }) => {
      const { __typename = '', seq = 0 } = chatEvents!;
      this.#seqs.set(chatId, seq);
      if (PANEL.test(__typename)) this.#again('PanelQuery', { chatId });
      this.#wake();
    });
    this.#cache.follow('HeadSubscription', { chatId, after }, () => {
      this.headUpdates++;
      this.#wake();
    });
  }

  unplug(): void {
    this.#network = new Promise((resolve) => (this.#plugIn = resolve));
    for (const socket of this.#sockets) socket.terminate();
  }

  plugIn(): void {
    this.#versions.clear();
    this.#isBack = true;
    this.#plugIn();
  }

  /** Whether it has received all events of a chat. */
  hasReceived({ id, nodeId, version }: { id: string; nodeId: string; version: number }): boolean {
    const listed = this.#versions.get(nodeId) ?? (this.#isBack ? version : 0);
    if (this.#isBack) this.#versions.set(nodeId, listed);
    return listed >= version && (this.#seqs.get(id) ?? version) >= version;
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => (this.#wake = resolve));
    await Promise.all(this.#pending.values());
  }

  /** Compares all views with the server. */
  async check(when: string): Promise<void> {
    for (const { name, variables } of this.#views.values()) {
      const what = `${name} of tab ${this.name}, after: ${when}`;
      await this.#cache.ask(name, variables);
      const held = this.#cache.held(name, variables);
      expect(held, `${what}: something is missing`).toBeDefined();
      const { text } = operations.find((operation) => operation.name === name)!;
      const shown = drawn(held);
      const { data } = await this.server.ask(text, shown.length > 0 ? { ...variables, last: shown.length } : variables);
      expect(shown.shapedAs(data), what).toEqual(drawn(data).shapedAs(data));
    }
  }

  /** Sends a query after the previous one has returned, because its result may be outdated. */
  #again(name: string, variables: Variables): void {
    const before = this.#pending.get(name) ?? Promise.resolve();
    this.#pending.set(
      name,
      before.then(() => this.#cache.ask(name, variables, true)),
    );
  }
}
