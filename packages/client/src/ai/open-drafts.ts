/** Unfinished drafts of a chat: selects, reads, stops and ends them as incomplete answers. */
import type { UIMessage } from 'ai';
import type { Parley } from '../connection/create-parley.js';
import { codeOf, UnreachableError } from '@parley/transport/errors';
import { DraftRequests } from '../drafts/draft-requests.js';
import { ReadDrafts, StopDraft, type WrittenFragment } from '../generated/operations.js';
import { addChunk, assembleMessage, chunkReader, type Assembled, type ReadMessages } from './assemble-message.js';
import { readDraft } from '../drafts/read-draft.js';
import { givenByPage, isEmpty, isWaiting, storable, type Chunk } from './ui-message.js';

/** The time for another writer to stop before this page ends its draft. */
const STOP_TIMEOUT_MS = 5_000;
/** The time limit for reading the stored chunks of a draft. */
const READ_TIMEOUT_MS = 30_000;

export interface StoredDraft<Message> extends Assembled<Message> {
  chunks: readonly Chunk[];
  /** The number of chunks on the server. */
  length: number;
  /** Whether the draft was saved or discarded. */
  hasEnded: boolean;
  /** Whether its turn waits for an output or an approval of the page. */
  isWaiting: boolean;
}

export class OpenDrafts<Message extends UIMessage> {
  constructor(
    private readonly parley: Parley,
    private readonly read: ReadMessages,
  ) {}

  async find(chatId: string, id: string): Promise<WrittenFragment | undefined> {
    const { chat } = await this.parley.run(ReadDrafts, { chatId });
    return chat?.drafts.edges.find(({ node }) => node.id === id)?.node;
  }

  /**
   * @param leafId the last message of the shown thread, null for an empty thread; the head of the active branch by
   * default
   * @returns the drafts after it, or with its id, oldest first
   */
  async below(chatId: string, leafId: string | null | undefined): Promise<WrittenFragment[]> {
    const { chat } = await this.parley.run(ReadDrafts, { chatId });
    if (chat == null) return [];
    const leaf = leafId === undefined ? (chat.activeBranch.head?.id ?? null) : leafId;
    const drafts = chat.drafts.edges.map(({ node }) => node);
    return drafts.filter(({ id, parent }) => id === leaf || (parent?.id ?? null) === leaf);
  }

  /** Requests the writer of a draft to stop. A draft that has ended is ignored. */
  async stop(chatId: string, id: string): Promise<void> {
    await ignoring('NOT_FOUND', this.parley.run(StopDraft, { input: { chatId, id } }));
  }

  /** Reads a draft until it has a number of chunks or ends. */
  async load(
    chatId: string,
    { id, length }: Pick<WrittenFragment, 'id' | 'length'>,
    timeoutMs = READ_TIMEOUT_MS,
  ): Promise<StoredDraft<Message>> {
    const chunks: Chunk[] = [];
    const convert = chunkReader(id);
    let read = 0;
    const next = (more: readonly unknown[]) => {
      read += more.length;
      for (const chunk of more.flatMap(convert)) addChunk(chunks, chunk);
      return read >= length;
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const end = length === 0 ? 'enough' : await readDraft(this.parley, { chatId, id, next, signal });
    if (end === 'aborted' && length !== Infinity)
      throw new UnreachableError(`Draft "${id}" could not be read within ${timeoutMs} ms`);
    const assembled = await assembleMessage<Message>(this.read, id, chunks);
    return {
      ...assembled,
      chunks,
      length: read,
      hasEnded: end === 'finished' || end === 'discarded',
      isWaiting: chunks.at(-1)?.type === 'finish' && isWaiting(assembled.message),
    };
  }

  /**
   * Ends a draft as an incomplete answer, or discards it when it is empty. Another writer first has time to stop; if
   * it ends the draft itself, this has no effect.
   * @param shown the answer of the page, with tool outputs that the draft does not contain yet
   */
  async end(chatId: string, draft: WrittenFragment, shown?: Message): Promise<void> {
    const { id, state } = draft;
    let stored = await this.load(chatId, draft);
    if (state !== 'ABANDONED' && !stored.isWaiting && !stored.hasEnded) {
      await this.stop(chatId, id);
      stored = await this.load(chatId, { id, length: Infinity }, STOP_TIMEOUT_MS);
    }
    await this.save(chatId, id, stored, shown);
  }

  /** Saves an abandoned draft as a message; false when it was empty and discarded. */
  async save(chatId: string, id: string, stored: StoredDraft<Message>, shown?: Message): Promise<boolean> {
    if (stored.hasEnded) return false;
    const isIncomplete = stored.isBroken || stored.isWaiting || stored.chunks.at(-1)?.type !== 'finish';
    const given = shown === undefined ? [] : givenByPage(stored.message, shown);
    const { message } = await assembleMessage(this.read, id, given, stored.message);
    const writer = new DraftRequests(this.parley, chatId, id, { length: stored.length });
    const isDiscarded = isIncomplete && isEmpty(message);
    const { data } = storable(message, id, isIncomplete, stored.failure);
    await ignoring('NOT_FOUND', isDiscarded ? writer.discard() : ignoring('ALREADY_EXISTS', writer.finish({ data })));
    return !isDiscarded;
  }
}

/** Awaits a request; a refusal with the code counts as success. */
export async function ignoring(code: string, request: Promise<unknown>): Promise<void> {
  await request.catch((reason: unknown) => {
    if (codeOf(reason) !== code) throw reason;
  });
}
