import { ContextError } from '../errors.js';
import type { SaveResult } from '../save-result.js';
import type { DraftData } from '../store/draft-data.js';
import { checkKnown } from '../store/known-fields.js';
import { toBranchInfo } from '../store/store-data.js';
import { readDraft, type LeftDraft } from '../streaming/left-draft.js';
import { MessageParts } from '../streaming/message-parts.js';
import {
  openSource,
  peekId,
  takenUpId,
  type MessageSource,
  type OpenSource,
  type StreamOptions,
} from '../streaming/message-source.js';
import { messageData, MessageStream } from '../streaming/message-stream.js';
import type { EngineState } from './engine-state.js';
import type { EngineSaveOptions } from './pending-saves.js';

/** The place where a stream starts. */
interface StreamOrigin {
  /** The branch of the engine, and its head there. */
  branchId: string;
  headMessageId: string | null;
  /** Whether it is another version, by parentId. */
  isVersion: boolean;
}

/** A draft and its opened source. */
interface OpenStream<Chunk> extends LeftDraft {
  source: OpenSource<Chunk>;
  stop: AbortController;
  idleTimeout: number | undefined;
  /** null for a draft that another writer has started. */
  origin: StreamOrigin | null;
}

const STREAM_OPTIONS = [
  'id',
  'name',
  'metadata',
  'idleTimeout',
  'parentId',
  'expectedHeadId',
  'onConflict',
  'takeUp',
] as const;

/** The messages that an engine writes as drafts, and the drafts that it ends. */
export class DraftStreams {
  constructor(
    private readonly state: EngineState,
    /** Saves the pending messages. */
    private readonly save: (options: EngineSaveOptions) => Promise<SaveResult>,
  ) {}

  async stream<Chunk>(given: MessageSource<Chunk>, options: StreamOptions): Promise<MessageStream<Chunk>> {
    const { takeUp, expectedHeadId, ...request } = checkKnown(options, STREAM_OPTIONS);
    const { parentId, idleTimeout } = request;
    const left = takenUpId({ id: request.id, takeUp });
    if (left !== null) return this.#takeUp(given, left, idleTimeout);
    const { store, chatId, position, pending, inTurn } = this.state;
    const seen = expectedHeadId === undefined ? {} : { expectedHeadId };
    const conflict = { ...seen, onConflict: request.onConflict ?? 'FORK' } as const;
    const hasPending = parentId === undefined && pending.fragments.length > 0;
    const hasSaved = hasPending && (await this.save(conflict)).messages.length > 0;

    const stop = new AbortController();
    const opened = await openSource(given, { signal: stop.signal, chunks: [], message: null });
    const first = request.id === undefined ? await peekId(opened) : { id: request.id, source: opened };
    const id = first.id ?? crypto.randomUUID();
    try {
      const [own, draft] = await inTurn(async () => {
        const branch = await position.begin();
        const place = { branch: branch.name, ...(hasSaved ? { expectedHeadId: branch.headMessageId } : seen) };
        return [branch, await store.startDraft(chatId, { ...request, ...place, id })] as const;
      });
      if (draft.length > 0) throw new ContextError('ALREADY_EXISTS', `Draft "${id}" already exists`);
      const parts = new MessageParts(draft.metadata ?? undefined);
      const { id: branchId, headMessageId } = own;
      const origin = { branchId, headMessageId, isVersion: parentId !== undefined };
      return this.#open({ draft, chunks: [], parts, source: first.source, stop, idleTimeout, origin });
    } catch (error) {
      void (async () => opened.chunks.return?.())().catch(() => {});
      throw error;
    }
  }

  async finishDraft(id: string): Promise<SaveResult | null> {
    const { store, chatId } = this.state;
    const { draft, parts } = await readDraft(store, chatId, id);
    const isBroken = parts.isBroken || !parts.hasEnded;
    if (isBroken && parts.isEmpty) {
      await store.discardDraft(chatId, id);
      return null;
    }
    return this.#finish(draft, messageData(parts, { id, name: draft.name, isBroken }), null);
  }

  async #takeUp<Chunk>(
    given: MessageSource<Chunk>,
    id: string,
    idleTimeout: number | undefined,
  ): Promise<MessageStream<Chunk>> {
    const left = await readDraft(this.state.store, this.state.chatId, id);
    const { draft, chunks, parts } = left;
    const stop = new AbortController();
    const message = chunks.length === 0 ? null : parts.message(id, draft.name);
    const source = await openSource(given, { signal: stop.signal, chunks, message });
    return this.#open({ ...left, source, stop, idleTimeout, origin: null });
  }

  #open<Chunk>({ draft, parts, source, stop, idleTimeout, origin }: OpenStream<Chunk>): MessageStream<Chunk> {
    const { store, chatId } = this.state;
    const { id, name, length } = draft;
    const finish = (data: unknown) => this.#finish(draft, data, origin);
    const { chunks, receivesStop } = source;
    const draftOptions = { store, chatId, id, name, length, idleTimeout };
    return new MessageStream({ ...draftOptions, parts, source: chunks, receivesStop, stop, finish });
  }

  #finish({ id }: DraftData, data: unknown, origin: StreamOrigin | null): Promise<SaveResult> {
    const { store, chatId, position, inTurn } = this.state;
    return inTurn(async () => {
      const saved = await store.finishDraft(chatId, id, { data });
      const { branch, branched } = saved;
      const here = position.branchId;
      // The engine follows its own answer unless it has moved since; another version only to the active branch.
      const isFollowed = (from: StreamOrigin) =>
        from.isVersion ? branch.isActive : from.headMessageId === position.headMessageId;
      const isOwn = origin !== null && origin.branchId === here && isFollowed(origin);
      if (branch.id === here || (origin === null ? branched : isOwn)) position.moveTo(branch);
      return { ...saved, branch: toBranchInfo(branch) };
    });
  }
}
