/** A chat with drafts on several servers, and its model. */
import { at, expectedHead } from '../../support/chats/positions.js';
import { expect } from 'vitest';
import { ConversationModel, ModelError } from '../../support/chats/conversation-model.js';
import { DraftModel, type ModelDraft } from '../../support/chats/draft-model.js';
import { openStream, type EventStream } from '../../support/server/event-stream.js';
import type { Parley } from '../../support/server/parley.js';
import { modelState } from '../../support/chats/model-snapshot.js';
import { serverState, Snapshot } from '../../support/chats/snapshot.js';
import type { Command } from './draft-commands.js';

const DRAFT = '... on DraftPayload { draft { id length state } }';
const SAVED = '... on SaveMessagesPayload { messages { id } branch { name } branched }';
const INPUTS: Record<string, [input: string, selection: string]> = {
  startDraft: ['StartDraftInput', DRAFT],
  appendToDraft: ['AppendToDraftInput', `${DRAFT} ... on DraftOffsetError { length }`],
  stopDraft: ['DraftInput', DRAFT],
  discardDraft: ['DraftInput', ''],
  finishDraft: ['FinishDraftInput', SAVED],
  saveMessages: ['SaveMessagesInput', SAVED],
  rewind: ['RewindInput', ''],
  switchBranch: ['SwitchBranchInput', ''],
  deleteBranch: ['DeleteBranchInput', ''],
  renameBranch: ['RenameBranchInput', ''],
};

interface Answer {
  __typename: string;
  messages?: { id: string }[];
  branch?: { name: string };
  branched?: boolean;
  length?: number;
  draft?: { id: string; length: number; state: string };
}

const FOLLOW = `subscription ($chatId: ID!, $id: ID!, $after: Int) {
  draft(chatId: $chatId, id: $id, after: $after) {
    __typename
    ... on DraftChunks { offset chunks length }
    ... on DraftFinished { message { id } }
  }
}`;

interface Update {
  __typename: string;
  offset?: number;
  chunks?: string[];
  length?: number;
  message?: { id: string };
}

/** A follower of a draft. */
interface Follower {
  draft: ModelDraft;
  after: number;
  stream: EventStream;
  updates: Update[];
  hasLeft: boolean;
  /** Settles with the end of the subscription. */
  over: Promise<void>;
}

/** A chat on two servers, and its model. */
export class DraftScenario {
  readonly model = new ConversationModel();
  readonly drafts = new DraftModel(this.model);
  readonly followers: Follower[] = [];
  #step = 0;

  constructor(
    private readonly parleys: readonly Parley[],
    readonly chatId: string,
  ) {}

  /** Steps alternate between the servers. */
  get parley(): Parley {
    return this.parleys[this.#step % this.parleys.length]!;
  }

  async run(each: Command): Promise<void> {
    this.#step++;
    const { model, drafts } = this;
    const messageId = (n: number) => model.messages[n % (model.messages.length + 1)]?.id ?? 'unknown';
    const id = 'draft' in each ? this.#idOf(each.draft) : '';
    switch (each.kind) {
      case 'start': {
        const { branch, onConflict, name, expected } = each;
        const parentId = each.parent === null ? null : messageId(each.parent);
        const head = model.branches.find((there) => there.name === (branch ?? model.active))?.head ?? null;
        const ofWord = { nothing: undefined, empty: null, head };
        const expectedHeadId = typeof expected === 'number' ? messageId(expected) : ofWord[expected];
        const given = { id, branch, onConflict, name };
        const input = { ...given, at: at(parentId ?? undefined), expectedHead: expectedHead(expectedHeadId) };
        const command = { ...given, parentId, expectedHeadId };
        this.#compareDraft(await this.#mutate('startDraft', input), () => drafts.start(command));
        return;
      }
      case 'append': {
        const length = drafts.newest(id)?.chunks.length ?? 0;
        const offset = Math.max(0, length - each.behind);
        // A writer repeats exactly the chunks of its first attempt.
        const chunks = Array.from({ length: each.count }, (_, n) => this.#chunk(id, offset + n));
        const answer = await this.#mutate('appendToDraft', { id, offset, chunks });
        this.#compareDraft(answer, () => drafts.append(id, offset, chunks));
        if (answer.__typename === 'DraftOffsetError') expect(answer.length).toBe(length);
        return;
      }
      case 'stop':
        this.#compareDraft(await this.#mutate('stopDraft', { id }), () => drafts.stop(id));
        return;
      case 'discard':
        this.#compare(await this.#mutate('discardDraft', { id }), () => drafts.discard(id));
        return;
      case 'finish':
        await this.finish(id, each.text ?? undefined);
        return;
      case 'save': {
        const { branch, text } = each;
        const message = { id: each.asDraft === null ? null : this.#idOf(each.asDraft), name: 'assistant' };
        const messages = [{ ...message, content: { text } }];
        this.#compareSave(await this.#mutate('saveMessages', { branch, messages }), (newId) =>
          model.save({ branch, messages: [{ ...message, isLazy: false, text }] }, newId),
        );
        return;
      }
      case 'rewind': {
        const head = each.message === null ? null : messageId(each.message);
        this.#compare(await this.#mutate('rewind', { at: at(head) }), () => model.rewind(head, null));
        return;
      }
      case 'switchBranch':
      case 'deleteBranch':
        this.#compare(await this.#mutate(each.kind, { name: each.name }), () => model[each.kind](each.name));
        return;
      case 'renameBranch': {
        const { name, newName } = each;
        this.#compare(await this.#mutate('renameBranch', { name, newName }), () => model.rename(name, newName));
        return;
      }
      case 'join':
        await this.#join(id, each.after);
        return;
      case 'leave': {
        const follower = this.followers[each.follower];
        if (follower === undefined) return;
        follower.hasLeft = true;
        await follower.stream.leave();
      }
    }
  }

  async finish(id: string, text?: string): Promise<void> {
    const content = text === undefined ? undefined : { text };
    this.#compareSave(await this.#mutate('finishDraft', { id, content }), (newId) =>
      this.drafts.finish(id, text, newId),
    );
  }

  /** Ends all drafts, and compares the received updates with the expected ones. */
  async end(): Promise<void> {
    for (const { id } of this.drafts.drafts.filter(({ end }) => end === null)) {
      await this.finish(id);
      // The branch has moved, so the end is rejected.
      if (this.drafts.newest(id)?.end === null) await this.run({ kind: 'discard', draft: Number(id.at(-1)) });
    }
    for (const { draft, after, updates, hasLeft, over } of this.followers) {
      await over;
      const chunkUpdates = updates.filter(({ __typename }) => __typename === 'DraftChunks');
      const chunks = chunkUpdates.flatMap(({ chunks }) => chunks!);
      let length = after;
      for (const update of chunkUpdates) {
        expect(update.offset).toBe(length);
        length += update.chunks!.length;
        expect(update.length).toBe(length);
      }
      expect(chunks).toEqual(draft.chunks.slice(after, length));
      if (hasLeft) continue;
      if (draft.end === 'finished') {
        expect(length).toBe(draft.chunks.length);
        expect(updates.at(-1)).toEqual({ __typename: 'DraftFinished', message: { id: draft.messageId } });
      } else {
        // The last update of a deleted draft may be missing.
        expect(updates.at(-1)).toEqual({ __typename: 'DraftDiscarded' });
      }
      const stopped = updates.filter(({ __typename }) => __typename === 'DraftStopping');
      expect(stopped.length).toBeLessThanOrEqual(draft.isStopped ? 1 : 0);
    }
  }

  /** All reads of the chat on a server. */
  async expectTheSame(): Promise<void> {
    const { parley, chatId, drafts, model } = this;
    expect(serverState(await parley.run(Snapshot, { id: chatId }))).toEqual(modelState(model, chatId));
    const fields = 'id branch { name } parent { id } name length state text chunks';
    const { data } = await parley.ask(
      `query ($id: ID!) { chat(id: $id) { drafts { edges { node { ${fields} } } } } }`,
      { id: chatId },
    );
    const live = drafts.drafts.filter(({ end }) => end === null);
    const { edges } = (data as { chat: { drafts: { edges: { node: { id: string } }[] } } }).chat.drafts;
    const found = edges.map(({ node }) => node);
    expect(found).toEqual(
      live.map((draft) => ({
        id: draft.id,
        branch: { name: drafts.branchName(draft) },
        parent: draft.parentId === null ? null : { id: draft.parentId },
        name: draft.name,
        length: draft.chunks.length,
        state: draft.isStopped ? 'STOPPING' : 'WRITING',
        text: draft.chunks.join(''),
        chunks: draft.chunks,
      })),
    );
  }

  async #join(id: string, after: number): Promise<void> {
    const draft = this.drafts.newest(id);
    // Another test covers the refusal of missing drafts.
    if (draft === undefined) return;
    const from = Math.min(after, draft.chunks.length);
    const stream = await openStream(this.parley, FOLLOW, { chatId: this.chatId, id, after: from });
    const follower: Follower = { draft, after: from, stream, updates: [], hasLeft: false, over: Promise.resolve() };
    follower.over = (async () => {
      for (let answer = await stream.next(); answer !== undefined; answer = await stream.next()) {
        if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
        follower.updates.push((answer.data as { draft: Update }).draft);
      }
    })().catch((error: unknown) => {
      if (!follower.hasLeft) throw error;
    });
    // Verified at the end.
    follower.over.catch(() => {});
    this.followers.push(follower);
  }

  #idOf(draft: number): string {
    return `${this.chatId}-draft-${draft}`;
  }

  /** Different content for each draft of an id; the first of some drafts has none. */
  #chunk(id: string, n: number): string {
    if (n === 0 && id.endsWith('1')) return '';
    return `${this.drafts.drafts.filter((draft) => draft.id === id).length}.${n} `;
  }

  async #mutate(field: string, input: object): Promise<Answer> {
    const [type, selection] = INPUTS[field]!;
    const { data, errors } = await this.parley.ask(
      `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ${selection} } }`,
      { input: { chatId: this.chatId, ...input } },
    );
    expect(errors).toBeUndefined();
    return (data as Record<string, Answer>)[field]!;
  }

  /** Both succeed, or both fail in the same way. */
  #compare<T>(answer: Answer, operation: () => T): T | null {
    let outcome: { type: string; value: T | null };
    try {
      outcome = { type: 'Payload', value: this.model.attempt(operation) };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      outcome = { type: error.message, value: null };
    }
    expect(answer.__typename.replace(/^[A-Za-z]*Payload$/, 'Payload')).toBe(outcome.type);
    return outcome.value;
  }

  #compareDraft(answer: Answer, operation: () => ModelDraft): void {
    const draft = this.#compare(answer, operation);
    if (draft === null) return;
    const state = draft.isStopped ? 'STOPPING' : 'WRITING';
    expect(answer.draft).toEqual({ id: draft.id, length: draft.chunks.length, state });
  }

  #compareSave(answer: Answer, operation: (newId: (index: number) => string) => ReturnType<ConversationModel['save']>) {
    const saved = this.#compare(answer, () => operation((index) => answer.messages?.[index]?.id ?? 'none'));
    if (saved === null) return;
    const { ids, branch, branched } = saved;
    expect(answer).toMatchObject({ messages: ids.map((id) => ({ id })), branch: { name: branch }, branched });
  }
}
