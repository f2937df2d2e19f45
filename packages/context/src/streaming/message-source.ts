import { invalid } from '../errors.js';
import type { UIMessage } from '../messages/ui-message.js';
import { chunksOf, type ChunkSource } from './chunk-source.js';

/** What a source is asked with. */
export interface SourceRequest {
  /** Aborted when somebody has asked to stop: for the call of the model. */
  signal: AbortSignal;
  /** What the draft has, of one that is taken up: what comes behind is wanted. */
  chunks: readonly unknown[];
  /** The same as a message; null where there is nothing yet. */
  message: UIMessage | null;
}

/** Chunks, or who can give them: a function is told when to stop. */
export type MessageSource<Chunk> =
  ChunkSource<Chunk> | ((request: SourceRequest) => ChunkSource<Chunk> | Promise<ChunkSource<Chunk>>);

export interface StreamOptions {
  /** Of the message to be. @default the messageId of the first chunk, else a new one */
  id?: string | undefined;
  /** Who says it. @default 'assistant' */
  name?: string | undefined;
  /** Of the message; what chunks say of it is merged into it. */
  metadata?: unknown;
  /**
   * Seconds without an append after which the draft is abandoned, 10 to 3,600. A writer appends every third of it, without
   * chunks while the source is silent. @default 60
   */
  idleTimeout?: number | undefined;
  /**
   * The message that the answer follows: another version beside the answers that it has. Pending messages stay pending. Not together
   * with expectedHeadId. @default the head of the branch
   */
  parentId?: string | undefined;
  /** The head that the caller has seen, null for an empty branch. @default whatever is there */
  expectedHeadId?: string | null | undefined;
  /** What to do when the branch has moved on, now or at the end. @default 'FORK', which loses nothing */
  onConflict?: 'REJECT' | 'FORK' | 'APPEND' | undefined;
  /** Goes on with the draft of this id, which somebody has left. @default false */
  takeUp?: boolean | undefined;
}

/** A source that is open. */
export interface OpenSource<Chunk> {
  chunks: AsyncIterator<Chunk, unknown> | Iterator<Chunk, unknown>;
  /** Whether it knows when to stop. */
  isTold: boolean;
}

export async function openSource<Chunk>(
  source: MessageSource<Chunk>,
  request: SourceRequest,
): Promise<OpenSource<Chunk>> {
  const isTold = typeof source === 'function';
  return { chunks: chunksOf(isTold ? await source(request) : source), isTold };
}

/** The id that a source has for its message, if its first chunk says one; and the source as if nothing had been read. */
export async function peekId<Chunk>(
  source: OpenSource<Chunk>,
): Promise<{ id: string | undefined; source: OpenSource<Chunk> }> {
  const { chunks } = source;
  let first: IteratorResult<Chunk, unknown> | null = await chunks.next();
  const { type, messageId } = ((first.done === true ? null : first.value) ?? {}) as Record<string, unknown>;
  const id = type === 'start' && typeof messageId === 'string' && messageId !== '' ? messageId : undefined;
  const next = async () => {
    const taken = first;
    first = null;
    return taken ?? chunks.next();
  };
  const end = async () => (await chunks.return?.()) ?? { done: true as const, value: undefined };
  return { id, source: { ...source, chunks: { next, return: end } } };
}

/** The id of a draft that is to be taken up. */
export function takenUpId({ id, takeUp }: StreamOptions): string | null {
  if (takeUp !== true) return null;
  if (id === undefined) throw invalid('id must be given: it says which draft is taken up', 'id');
  return id;
}
