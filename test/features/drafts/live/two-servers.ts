/** Writes and follows drafts on two servers of one database during a series of faults. */
import { expect, onTestFinished } from 'vitest';
import { CreateChat, SaveMessages, userMessage } from '../../../support/chats/operations.js';
import type { Settings } from '../../../support/server/server-process.js';
import { startProxy } from '../../../support/server/tcp-proxy.js';
import { cutConnections, killServer, swallow, type Fault } from '../../../live/faults/faults.js';
import { RestartableServer } from '../../../live/faults/restartable-server.js';
import { DraftAudience } from './draft-audience.js';
import { DraftWriter, textOf, type DraftKey } from './draft-writer.js';

export interface Size {
  drafts: number;
  /** Chunks of each draft. */
  chunks: number;
  followers: number;
}

/** The full size, for thorough runs. */
export const MANY: Size = { drafts: 20, chunks: 500, followers: 100 };
export const FEW: Size = { drafts: 5, chunks: 80, followers: 15 };

/** Drafts per chat: fewer than the limit. */
const DRAFTS_OF_A_CHAT = 5;

/** Between two appends of a writer. */
const PACE_MS = 10;

/** An interval at which sweeps find changes soon, without notifications. */
export const SWEEPS = { SWEEP_INTERVAL_MS: '500' };

/** The outcome of the nth draft. */
const OUTCOMES = ['finished', 'taken up', 'stopped', 'finished', 'abandoned'] as const;

/** The progress of all drafts combined. */
class Progress {
  #done = 0;
  #waiting: { at: number; resolve: () => void }[] = [];

  constructor(private readonly size: Size) {}

  add(count: number): void {
    this.#done += count;
    for (const { resolve } of this.#waiting.filter(({ at }) => at <= this.#done)) resolve();
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#done);
  }

  /** @param part the fraction of all chunks that must be written */
  reached(part: number): Promise<void> {
    const at = part * this.size.drafts * this.size.chunks;
    return at <= this.#done ? Promise.resolve() : new Promise((resolve) => this.#waiting.push({ at, resolve }));
  }
}

/**
 * Injects a series of faults while drafts are written. Expects each follower to receive every chunk once and in order,
 * each message to contain its chunks, and only abandoned drafts to remain.
 */
export async function expectDraftsToSurvive(
  settings: Settings,
  busFaults: readonly Fault[],
  size: Size,
): Promise<void> {
  const servers = [
    await RestartableServer.start({ ...settings, MIGRATE_ON_START: 'true' }),
    await RestartableServer.start(settings),
  ] as const;
  const [first, second] = servers;
  const proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(second.url).port) });
  const ways = [
    { urls: [first.url] },
    { urls: [second.url] },
    { urls: [first.url, second.url] },
    { urls: [second.url, first.url] },
    { urls: [second.url.replace(/:\d+/, `:${proxy.port}`)] },
  ];
  const chatIds = Array.from({ length: size.drafts / DRAFTS_OF_A_CHAT }, (_, n) => `chat-${n}`);
  for (const id of chatIds) {
    await first.run(CreateChat, { input: { id } });
    await first.run(SaveMessages, { input: { chatId: id, messages: [userMessage(`${id}-q`)], onConflict: 'REJECT' } });
  }

  const failures: string[] = [];
  const progress = new Progress(size);
  const drafts = Array.from({ length: size.drafts }, (_, n) => {
    const key = { chatId: chatIds[n % chatIds.length]!, id: `draft-${n}` };
    return {
      key,
      outcome: OUTCOMES[Math.floor(n / chatIds.length) % OUTCOMES.length]!,
      audience: new DraftAudience(key, ways),
    };
  });
  const urls = [first.url, second.url];
  const newWriter = (key: DraftKey) => new DraftWriter(key, urls, (what) => failures.push(what));
  onTestFinished(async () => {
    await Promise.all(drafts.map(({ audience }) => audience.leave()));
  });

  /** @returns the number of chunks that its followers must receive */
  const live = async ({ key, outcome, audience }: (typeof drafts)[number], n: number): Promise<number> => {
    let [joined, length] = [0, 0];
    const here = size.followers / size.drafts;
    const onProgress = (now: number) => {
      progress.add(Math.max(0, now - length));
      length = Math.max(length, now);
      // Followers join one after the other; the last one after the draft has ended.
      while (joined < here - 1 && length >= (joined * size.chunks) / here) audience.join(n + joined++ * size.drafts);
    };
    let writer = newWriter(key);
    await writer.start();
    onProgress(0);
    const end = outcome === 'abandoned' ? Math.floor(size.chunks * 0.6) : size.chunks;
    const writing = writer.write(end, PACE_MS, onProgress);
    if (outcome === 'taken up') {
      await progress.reached(0.4);
      // The new writer does not know the length: the last append may still be running.
      writer.kill();
      writer = newWriter(key);
      await writer.write(end, PACE_MS, onProgress);
    } else if (outcome === 'stopped') {
      await progress.reached(0.5);
      await newWriter(key).stop();
    }
    await writing;
    const acknowledged = writer.acknowledged;
    progress.add(size.chunks - length);
    if (outcome !== 'abandoned') await writer.finish();
    while (joined < here) audience.join(n + joined++ * size.drafts);
    return acknowledged;
  };
  const living = Promise.all(drafts.map(live));

  const cut = cutConnections(() => drafts.flatMap(({ audience }) => audience.followers));
  const faults = [cut, ...busFaults, swallow(proxy), killServer(first), cut];
  for (const [n, fault] of faults.entries()) {
    await progress.reached((2 * n + 1) / (2 * faults.length + 1));
    await fault.begin();
    await progress.reached((2 * n + 2) / (2 * faults.length + 1));
    await fault.end?.();
    // The branch of each chat advances, so that drafts that finish later create another branch.
    const chatId = chatIds[n % chatIds.length]!;
    await second.run(SaveMessages, {
      input: { chatId, messages: [userMessage(`${chatId}-${n}`)], onConflict: 'REJECT' },
    });
  }
  const lengths = await living;

  for (const [n, { key, outcome, audience }] of drafts.entries()) {
    const length = lengths[n]!;
    failures.push(...(await audience.check({ length, text: outcome === 'abandoned' ? null : textOf(key, length) })));
    if (outcome === 'stopped') expect(length).toBeLessThan(size.chunks);
  }
  expect(failures).toEqual([]);
  const left = drafts.filter(({ outcome }) => outcome === 'abandoned').map(({ key }) => key.id);
  for (const server of servers) expect((await draftsAt(server.url, chatIds)).toSorted()).toEqual(left.toSorted());
  const followers = drafts.flatMap(({ audience }) => audience.followers);
  expect(followers.reduce((sum, { reconnects }) => sum + reconnects, 0)).toBeGreaterThan(followers.length / 3);
}

async function draftsAt(url: string, chatIds: readonly string[]): Promise<string[]> {
  const query = `{ ${chatIds.map((id, n) => `c${n}: chat(id: "${id}") { drafts { edges { node { id } } } }`).join(' ')} }`;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const { data } = (await response.json()) as {
    data: Record<string, { drafts: { edges: { node: { id: string } }[] } }>;
  };
  return Object.values(data).flatMap(({ drafts }) => drafts.edges.map(({ node }) => node.id));
}
