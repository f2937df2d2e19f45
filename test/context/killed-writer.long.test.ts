/** Two clients follow a draft whose writing process is killed, and which another process continues. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ContextEngine, RemoteStore, user, type DraftUpdate } from '@parley/context';
import { startServer } from '../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';

const WRITER = fileURLToPath(new URL('draft-writer.mjs', import.meta.url));

function startWriter(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [WRITER, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  // Unread output would block the process on a full pipe.
  child.stdout.resume();
  return child;
}

/** A tab, which keeps its last messages after a reload. */
class Tab {
  readonly chunks: unknown[] = [];
  end: DraftUpdate | undefined;
  readonly #onChunks: (() => void)[] = [];
  #reload = new AbortController();

  constructor(private readonly url: string) {}

  /** Follows the draft until its message is saved, again after each reload. */
  async watch(): Promise<void> {
    while (this.end === undefined) {
      this.#reload = new AbortController();
      const options = { after: this.chunks.length, signal: this.#reload.signal };
      for await (const update of new RemoteStore({ url: this.url }).followDraft('c', 'd', options)) {
        if (update.type === 'chunks') this.chunks.push(...update.chunks);
        if (update.type === 'finished' || update.type === 'discarded') this.end = update;
        for (const notify of this.#onChunks.splice(0)) notify();
      }
    }
  }

  reload(): void {
    this.#reload.abort();
  }

  async has(count: number): Promise<void> {
    while (this.chunks.length < count) await new Promise<void>((resolve) => this.#onChunks.push(resolve));
  }
}

test('clients and the message contain each chunk once after a killed writer and its successor', async () => {
  const count = 5_000;
  const { url } = await startServer({ DATABASE_URL: temporaryDatabaseUrl(), MIGRATE_ON_START: 'true' });
  const store = new RemoteStore({ url });
  await new ContextEngine({ store, chatId: 'c', userId: 'local' }).set(user('Count.', { id: 'q' })).save();

  const killed = startWriter(url, String(count));
  await once(killed.stdout!, 'data');
  const tabs = [new Tab(url), new Tab(url)] as const;
  const watched = Promise.all(tabs.map((tab) => tab.watch()));
  await tabs[0].has(20);
  tabs[0].reload();
  await tabs[1].has(60);
  killed.kill('SIGKILL');
  await once(killed, 'close');

  const [left] = await store.listDrafts('c');
  expect(left!.length).toBeLessThan(count);
  const next = startWriter(url, String(count), 'takeUp');
  tabs[1].reload();
  const [code] = (await once(next, 'close')) as [number];
  expect(code).toBe(0);
  await watched;

  const deltas = Array.from({ length: count }, (_, n) => ({ type: 'text-delta', id: 't', delta: `${n} ` }));
  const chunks = [{ type: 'start', messageId: 'd' }, { type: 'text-start', id: 't' }, ...deltas];
  const text = deltas.map(({ delta }) => delta).join('');
  const data = { id: 'd', role: 'assistant', parts: [{ type: 'text', text, state: 'done' }] };
  for (const tab of tabs) {
    expect(tab.chunks).toEqual([...chunks, { type: 'text-end', id: 't' }, { type: 'finish' }]);
    expect(tab.end).toMatchObject({
      type: 'finished',
      message: { id: 'd', parentId: 'q', data },
      branch: { name: 'main' },
    });
  }
  expect((await store.getMessages('c')).map((message) => message.id)).toEqual(['q', 'd']);
  expect(await store.listDrafts('c')).toEqual([]);
});
