/** Drafts that are followed while they are written, one after the other in a chat: finished, stopped or abandoned. */
import { setTimeout as pause } from 'node:timers/promises';
import { DraftAudience } from '../../features/drafts/live/draft-audience.js';
import { chunkOf, textOf } from '../../features/drafts/live/draft-writer.js';
import type { Client } from './client.js';
import { APPEND_DRAFT, DISCARD_DRAFT, DRAFTS, FINISH_DRAFT, START_DRAFT, STOP_DRAFT } from './documents.js';
import type { Counters } from './counters.js';
import type { Headers } from './users.js';
import type { Way } from './scene.js';

/** The interval of appends, in milliseconds. */
const PACE_MS = 400;

/** Appends of a draft, and chunks in each. */
const APPENDS = 16;
const CHUNKS = 12;

/** The wait for the last chunks, in milliseconds: longer than any fault. */
const PATIENCE_MS = 90_000;

const OUTCOMES = ['finished', 'stopped', 'finished', 'left'] as const;

export class DraftTraffic {
  #isOver = false;
  #audience: DraftAudience | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly chatId: string,
    private readonly client: Client,
    /** The followers. */
    private readonly audience: { headers: Headers; ways: readonly Way[] },
    private readonly counters: Counters,
  ) {}

  start(): void {
    this.#running = this.#traffic();
  }

  /** Ends the writing and checks that the chat has no draft. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    const data = await this.client.ask(DRAFTS, { id: this.chatId });
    const { drafts } = (data?.['chat'] ?? {}) as { drafts?: { edges: { node: { id: string } }[] } };
    for (const { node } of drafts?.edges ?? []) this.counters.noteUnexpected(`draft ${node.id} is left over`);
  }

  /** Closes the connection of one follower. */
  cut(): void {
    for (const follower of this.#audience?.followers ?? []) if (Math.random() < 0.4) follower.cut();
  }

  async #traffic(): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const key = { chatId: this.chatId, id: `${this.chatId}-draft-${n}` };
      const { headers, ways } = this.audience;
      const audience = new DraftAudience(
        key,
        ways.map(({ urls, transport, pingMs }) => ({ urls, transport, headers, ...(pingMs && { pingMs }) })),
      );
      this.#audience = audience;
      await this.#write(key, OUTCOMES[n % OUTCOMES.length]!, audience);
      await audience.leave();
    }
    this.#audience = null;
  }

  async #write(key: { chatId: string; id: string }, outcome: (typeof OUTCOMES)[number], audience: DraftAudience) {
    const { client, counters } = this;
    const ask = (document: string, more: object = {}, expected = 'DraftPayload') =>
      client.ask(document, { input: { ...key, ...more } }, expected);
    if ((await ask(START_DRAFT)) === null) return;
    let length = 0;
    for (let append = 0; append < APPENDS; append++) {
      if (append % 6 === 0) audience.join(append / 6);
      const chunks = Array.from({ length: CHUNKS }, (_, n) => chunkOf(key, length + n));
      const data = await ask(APPEND_DRAFT, { offset: length, chunks });
      // The counters contain the failure.
      if (data === null) return;
      length += CHUNKS;
      const { draft } = data['appendToDraft'] as { draft: { length: number; state: string } };
      if (draft.length !== length) counters.noteUnexpected(`${key.id} has ${draft.length} chunks, not ${length}`);
      if (draft.state === 'STOPPING') break;
      if (outcome === 'stopped' && append === 10) await ask(STOP_DRAFT);
      if (outcome === 'left' && append === 7) break;
      await pause(PACE_MS * (0.5 + Math.random()));
    }
    if (outcome === 'left') {
      await this.#check(audience, length, null);
      await ask(DISCARD_DRAFT, {}, 'DiscardDraftPayload');
      return;
    }
    await ask(FINISH_DRAFT, {}, 'SaveMessagesPayload');
    await this.#check(audience, length, textOf(key, length));
  }

  async #check(audience: DraftAudience, length: number, text: string | null): Promise<void> {
    for (const difference of await audience.check({ length, text }, PATIENCE_MS)) this.counters.noteGap(difference);
    this.counters.events += audience.followers.length;
  }
}
