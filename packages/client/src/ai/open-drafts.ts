/** The drafts of a chat that are not messages yet: which are shown, what they hold, and how they end as incomplete answers. */
import type { UIMessage } from 'ai';
import type { Parley } from '../connection/create-parley.js';
import { UnreachableError } from '@parley/transport/errors';
import { DraftWriter } from '../drafts/draft-writer.js';
import { ReadDrafts, StopDraft, type WrittenFragment } from '../generated/operations.js';
import { addChunk, assembleMessage, chunkReader, type Assembled, type ReadMessages } from './assemble-message.js';
import { readDraft } from './read-draft.js';
import { givenByPage, hasContent, isWaiting, storable, type Chunk } from './ui-message.js';

/** How long another writer may take to stop until its draft is ended here. */
const STOP_TIMEOUT_MS = 5_000;
/** How long the stored chunks of a draft may take to arrive. */
const READ_TIMEOUT_MS = 30_000;

export interface StoredDraft<Message> extends Assembled<Message> {
  chunks: readonly Chunk[];
  /** How many chunks the server has. */
  length: number;
  /** Whether it is a message, or discarded. */
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
    return chat?.drafts.find((draft) => draft.id === id);
  }

  /**
   * @param leafId the message at the end of the shown thread, null for an empty one; the head of the active branch by default
   * @returns the drafts that follow it, or that it is itself, oldest first
   */
  async below(chatId: string, leafId: string | null | undefined): Promise<WrittenFragment[]> {
    const { chat } = await this.parley.run(ReadDrafts, { chatId });
    if (chat == null) return [];
    const leaf = leafId === undefined ? (chat.activeBranch.head?.id ?? null) : leafId;
    return chat.drafts.filter(({ id, parent }) => id === leaf || (parent?.id ?? null) === leaf);
  }

  /** Requests the writer of a draft to stop. A draft that has ended needs none. */
  async stop(chatId: string, id: string): Promise<void> {
    await ignoring('NOT_FOUND', this.parley.run(StopDraft, { input: { chatId, id } }));
  }

  /** Reads the draft until it has a number of chunks or ends. */
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
    const end = length === 0 ? 'enough' : await readDraft(this.parley, { chatId, id, next, timeoutMs });
    if (end === 'timeout' && length !== Infinity)
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
   * Ends a draft as an incomplete answer, or discards it where it has no content. Another writer first has its time to stop; a
   * draft that it finishes or discards then stays so.
   * @param shown the answer as the page has it, with tool outputs that the draft does not have yet
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

  /** Saves a draft that is not written any more as a message; false where it was discarded, for it has no content. */
  async save(chatId: string, id: string, stored: StoredDraft<Message>, shown?: Message): Promise<boolean> {
    if (stored.hasEnded) return false;
    const isIncomplete = stored.isBroken || stored.isWaiting || stored.chunks.at(-1)?.type !== 'finish';
    const given = shown === undefined ? [] : givenByPage(stored.message, shown);
    const { message } = await assembleMessage(this.read, id, given, stored.message);
    const writer = new DraftWriter(this.parley, chatId, id, { length: stored.length });
    const isEmpty = isIncomplete && !hasContent(message);
    const { data } = storable(message, id, isIncomplete);
    await ignoring('NOT_FOUND', isEmpty ? writer.discard() : ignoring('ALREADY_EXISTS', writer.finish({ data })));
    return !isEmpty;
  }
}

/** Waits for a request; a refusal with the code counts as success. */
export async function ignoring(code: string, request: Promise<unknown>): Promise<void> {
  await request.catch((reason: unknown) => {
    if (!isRefusal(reason, code)) throw reason;
  });
}

export function isRefusal(reason: unknown, code: string): boolean {
  return (reason as { code?: unknown } | null)?.code === code;
}
