/** A chat whose pages perform concurrent actions of a schedule. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { PATIENCE_MS } from '../../support/patience.js';
import type { HttpClient } from '../../support/server/http-client.js';
import type { ThreadState } from '@parley/client';
import { RemoteStore, type ContextError } from '@parley/context';
import { AnswerPage, type Application } from './answer-page.js';
import { ExpectedAnswers, type SavedMessage } from './expected-answers.js';

const WEIGHTS = {
  ask: 10,
  regenerate: 6,
  edit: 2,
  stop: 3,
  reload: 3,
  cut: 3,
  resume: 1,
  look: 3,
  showActive: 2,
  rewind: 1,
  switch: 1,
  leaveRegeneration: 1,
} as const;

type Action = keyof typeof WEIGHTS;

const weighted = Object.entries(WEIGHTS).flatMap(([action, weight]) =>
  Array.from({ length: weight }, () => action as Action),
);
const number = fc.noBias(fc.nat(999));

/** An action of a page; the numbers select its target. */
const step = fc.record({
  action: fc.constantFrom(...weighted),
  page: number,
  n: number,
  m: number,
  words: number,
  pauseMs: number,
});

export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A step that runs concurrently with other steps. */
type PageStep = Step & { action: Exclude<Action, 'leaveRegeneration'> };

export const stepsOf = (seed: number, count: number): Step[] => fc.sample(fc.noShrink(step), { seed, numRuns: count });

/** Maximum of concurrent actions in a chat. */
const MAX_CONCURRENT = 3;
const MAX_PAUSE_MS = 200;
const MAX_WORDS = 60;
/** Time limit of an action, which can wait for the idle timeout of several answers. */
const MAX_ACTION_MS = 5 * PATIENCE_MS;

interface ChatRow {
  activeBranch: { id: string; name: string; head: { id: string } | null };
  branches: { edges: { node: { name: string; head: { id: string } | null } }[] };
  messages: { edges: { node: SavedMessage }[] };
  drafts: { id: string; parent: { id: string } | null }[];
}

const CHAT = `query ($id: ID!) {
  chat(id: $id) {
    activeBranch { id name head { id } }
    branches(first: 1000) { edges { node { name head { id } } } }
    messages(first: 1000) { edges { node { id parentId name text data createdAt } } }
    drafts { id parent { id } }
  }
}`;

const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];

export class ChaosChat {
  readonly expected: ExpectedAnswers;
  readonly #pages: AnswerPage[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #store: RemoteStore;

  constructor(
    private readonly id: string,
    private readonly application: Application,
    private readonly parley: HttpClient,
  ) {
    this.expected = new ExpectedAnswers(id);
    this.#store = new RemoteStore({ url: application.url });
  }

  async run(steps: readonly Step[]): Promise<void> {
    const first = new AnswerPage(this.application, this.id, this.expected);
    await first.ask(this.expected.ask(20, 'ends'), 0);
    first.close();
    for (const branch of [undefined, undefined, 'main']) this.#pages.push(await this.#open(branch));
    for (const each of steps) {
      await pause(each.pauseMs % MAX_PAUSE_MS);
      const { action } = each;
      if (action === 'leaveRegeneration') {
        await Promise.all(this.#running);
        await this.#within(action, this.#leaveRegeneration(each));
        continue;
      }
      while (this.#running.size >= MAX_CONCURRENT) await Promise.race(this.#running);
      const done = this.#within(action, this.#do({ ...each, action })).finally(() => this.#running.delete(done));
      this.#running.add(done);
    }
    await Promise.all(this.#running);
  }

  /** Waits for open answers, and resumes the answers of killed processes. */
  async end(): Promise<void> {
    for (;;) {
      const { drafts } = await this.#read();
      if (drafts.length === 0) return;
      await Promise.all(drafts.map(({ id }) => this.#leftOrEnded(id)));
      const parents = new Set(drafts.map(({ parent }) => parent!.id));
      await Promise.all([...parents].map((id, n) => this.#pages[0]!.resume(id, n)));
    }
  }

  async #leftOrEnded(draftId: string): Promise<void> {
    const updates = this.#store.followDraft(this.id, draftId, { withChunks: false });
    try {
      for await (const { type } of updates) if (type !== 'chunks' && type !== 'stopping') return;
    } catch (error) {
      if ((error as ContextError).code !== 'NOT_FOUND') throw error;
    }
  }

  /** @returns the number of answers, and all contradictions */
  async compare(): Promise<{ answers: number; failures: string[] }> {
    const { messages, activeBranch, branches } = await this.#read();
    const saved = messages.edges.map(({ node }) => node);
    const { answers, failures } = this.expected.compare(saved);
    for (const { store, branch, isElsewhere } of this.#pages) {
      if (isElsewhere) continue;
      const named = branches.edges.find(({ node }) => node.name === branch)?.node;
      const leafId = (branch === undefined ? activeBranch : named)?.head?.id ?? null;
      const ids = chainOf(saved, leafId).map(({ id }) => id);
      const isShown = ({ thread, status, drafts }: ThreadState) =>
        status === 'live' && drafts.length === 0 && thread.map(({ id }) => id).join() === ids.join();
      const state = await Promise.race([
        store.when(isShown),
        pause(PATIENCE_MS, store.getState, { ref: false }).then((get) => get()),
      ]);
      if (isShown(state)) continue;
      const { status, drafts, thread } = state;
      failures.push(
        `a page of ${branch ?? 'the active branch'} shows ${status} ${JSON.stringify([thread.map(({ id, text }) => [id, text]), drafts.map(({ id, message }) => [id, message.status, message.text])])}, not ${JSON.stringify([ids, leafId])}`,
      );
    }
    return { answers, failures };
  }

  async #within(name: string, action: Promise<void>): Promise<void> {
    const over = new AbortController();
    const late = pause(MAX_ACTION_MS, 'late', { signal: over.signal }).catch(() => undefined);
    if ((await Promise.race([action, late])) === 'late') {
      const shown = this.#pages.map(({ store }) => JSON.stringify({ ...store.getState(), childrenMap: [] }));
      this.expected.failures.push(`${name} does not end; pages show ${shown.join()}`);
    }
    over.abort();
  }

  async #do({ action, page: place, n, m, words }: PageStep): Promise<void> {
    const index = place % this.#pages.length;
    const page = this.#pages[index]!;
    if (action === 'reload') {
      page.close();
      this.#pages[index] = await this.#open(page.branch);
      return;
    }
    if (action === 'cut') return page.cutSockets();
    await page.act(async () => {
      const { store } = page;
      const { thread, allMessages, branches } = store.getState();
      const questions = thread.filter(({ name }) => name === 'user');
      const question = pick(questions.slice(-3), m);
      switch (action) {
        case 'ask':
          return page.ask(this.expected.ask(words % MAX_WORDS, n % 12 === 0 ? 'fails' : 'ends'), n, {
            isTwice: m % 6 === 0,
            ...(m % 4 === 1 && { leaveMs: m % 40 }),
          });
        case 'edit':
          if (question === undefined) return;
          return page.ask(this.expected.ask(words % MAX_WORDS, 'ends'), n, { edited: question, isTwice: m % 6 === 0 });
        case 'regenerate':
          if (question !== undefined) await page.regenerate(this.expected.find(question.text)!, question, n);
          return;
        case 'stop':
          return page.stop(n, m % 2 === 0 ? 'handler' : 'store');
        case 'resume':
          if (question !== undefined) await page.resume(question.id, n);
          return;
        case 'look': {
          const message = pick(allMessages, n);
          if (page.branch === undefined && message !== undefined) await page.look(message.id);
          return;
        }
        case 'showActive':
          return page.branch === undefined ? page.showActive() : undefined;
        case 'rewind': {
          const message = pick(allMessages, n);
          if (message !== undefined && page.branch === undefined) await page.goTo((store) => store.rewind(message.id));
          return;
        }
        case 'switch': {
          const branch = pick(branches, n);
          if (branch !== undefined && page.branch === undefined)
            await page.goTo((store) => store.switchBranch(branch.name));
        }
      }
    });
  }

  /** Switches to another branch while a regeneration is written: its branch must not become active. */
  async #leaveRegeneration({ n, m }: Step): Promise<void> {
    const [page] = this.#pages as [AnswerPage];
    const { thread, allMessages } = page.store.getState();
    const question = thread.findLast(({ name }) => name === 'user');
    if (question === undefined) return;
    if (!(await page.regenerate(this.expected.find(question.text)!, question, n))) return;
    await pause(m % 100);
    await page.goTo((store) => store.rewind(pick(allMessages, m)!.id));
    const before = (await this.#read()).activeBranch;
    await this.end();
    const after = (await this.#read()).activeBranch;
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    this.expected.failures.push(`the active branch was ${JSON.stringify(before)}, and is ${JSON.stringify(after)}`);
  }

  async #open(branch: string | undefined): Promise<AnswerPage> {
    const page = new AnswerPage(this.application, this.id, this.expected, branch);
    await page.store.open();
    return page;
  }

  async #read(): Promise<ChatRow> {
    const { data } = await this.parley.post(CHAT, { id: this.id });
    return data!['chat'] as ChatRow;
  }
}

function chainOf(messages: readonly SavedMessage[], leafId: string | null): SavedMessage[] {
  const leaf = messages.find(({ id }) => id === leafId);
  return leaf === undefined ? [] : [...chainOf(messages, leaf.parentId), leaf];
}
