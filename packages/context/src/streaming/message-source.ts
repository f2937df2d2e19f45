import { invalid } from '../errors.js';
import type { UIMessage } from '../messages/ui-message.js';
import type { NewDraftData } from '../store/draft-data.js';
import { chunksOf, type ChunkSource } from './chunk-source.js';

/** The argument of a source that is a function. */
export interface SourceRequest {
  /** Aborted when a stop is requested: pass it to the model call. */
  signal: AbortSignal;
  /** The chunks of a draft that is taken up: the source continues after them. */
  chunks: readonly unknown[];
  /** The same chunks as a message; null without content. */
  message: UIMessage | null;
}

/** Chunks, or a function that returns them, which receives the signal of a stop. */
export type MessageSource<Chunk> =
  | ChunkSource<Chunk>
  | ((request: SourceRequest) => ChunkSource<Chunk> | Promise<ChunkSource<Chunk>>);

export interface StreamOptions extends Omit<NewDraftData, 'branch'> {
  /**
   * The id of the message.
   * @default the messageId of the first chunk, else a new one
   */
  id?: string | undefined;
  /** Metadata of the message; metadata of chunks are merged into them. */
  metadata?: unknown;
  /**
   * Seconds without an append after which the draft is abandoned, 10 to 3,600. A writer appends every third of it, without
   * chunks while the source is silent. @default 60
   */
  idleTimeout?: number | undefined;
  /**
   * The parent of the answer, which becomes a sibling of the existing answers. Pending messages stay pending. Excludes
   * expectedHeadId.
   * @default the head of the branch
   */
  parentId?: string | undefined;
  /**
   * Continues the draft with this id, which its writer has left.
   * @default false
   */
  takeUp?: boolean | undefined;
}

/** An opened source. */
export interface OpenSource<Chunk> {
  chunks: AsyncIterator<Chunk, unknown> | Iterator<Chunk, unknown>;
  /** Whether it receives the signal of a stop. */
  receivesStop: boolean;
}

export async function openSource<Chunk>(
  source: MessageSource<Chunk>,
  request: SourceRequest,
): Promise<OpenSource<Chunk>> {
  const receivesStop = typeof source === 'function';
  return { chunks: chunksOf(receivesStop ? await source(request) : source), receivesStop };
}

/** The id in the first chunk of a source, if it has one; and the source with that chunk. */
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

/** The id of the draft to continue; null without takeUp. */
export function takenUpId({ id, takeUp }: StreamOptions): string | null {
  if (takeUp !== true) return null;
  if (id === undefined) throw invalid('id is required: it selects the draft to continue', 'id');
  return id;
}
