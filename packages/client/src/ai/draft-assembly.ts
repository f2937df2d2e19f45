/** Assembles the UIMessage of a draft from its chunks as they arrive: each chunk is processed once. */
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { draftText } from '../drafts/draft-text.js';

interface Chunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The fields of delta chunks: adjacent deltas of the same part are joined before assembly. */
const DELTAS: Record<string, readonly [part: string, delta: string]> = {
  'text-delta': ['id', 'delta'],
  'reasoning-delta': ['id', 'delta'],
  'tool-input-delta': ['toolCallId', 'inputTextDelta'],
};

export class DraftAssembly<Message extends UIMessage> {
  /** The message so far; the same object until it grows. */
  message: Message;
  /** What an `error` chunk, or an invalid chunk, says. */
  error: Error | undefined;
  #stream!: ReadableStreamDefaultController<UIMessageChunk>;
  #fed = 0;
  #hasText = false;
  #isInvalid = false;
  #isClosed = false;

  constructor(
    readonly id: string,
    private readonly changed: () => void,
  ) {
    this.message = this.#empty();
    const stream = new ReadableStream<UIMessageChunk>({ start: (controller) => void (this.#stream = controller) });
    void this.#read(stream);
  }

  /** @param chunks all chunks of the draft so far */
  feed(chunks: readonly unknown[]): void {
    const fresh = chunks.slice(this.#fed);
    if (fresh.length === 0 || this.#isClosed) return;
    this.#fed = chunks.length;
    if (this.#isInvalid) return this.#showText(chunks);
    for (const chunk of joinDeltas(fresh.flatMap((piece) => this.#chunksOf(piece)))) {
      this.#stream.enqueue(chunk as unknown as UIMessageChunk);
    }
  }

  close(): void {
    this.#isClosed = true;
    if (!this.#isInvalid) this.#stream.close();
  }

  async #read(stream: ReadableStream<UIMessageChunk>): Promise<void> {
    const onError = (reason: unknown) => {
      this.error = reason instanceof Error ? reason : new Error(String(reason));
    };
    for await (const message of readUIMessageStream<Message>({ message: this.#empty(), stream, onError })) {
      if (this.#isClosed) return;
      this.message = message;
      this.changed();
    }
    // A chunk that the AI SDK rejects ends its stream.
    this.#isInvalid = !this.#isClosed;
    this.changed();
  }

  /** A chunk as the AI SDK reads it: a string is a delta of one text part, and the message has the id of the draft. */
  #chunksOf(piece: unknown): Chunk[] {
    if (typeof piece !== 'string') {
      const chunk = piece as Chunk;
      if (chunk.type === 'finish-step') this.#hasText = false;
      return [chunk.type === 'start' ? { ...chunk, messageId: this.id } : chunk];
    }
    const delta = { type: 'text-delta', id: this.id, delta: piece };
    if (this.#hasText) return [delta];
    this.#hasText = true;
    return [{ type: 'text-start', id: this.id }, delta];
  }

  #showText(chunks: readonly unknown[]): void {
    this.message = { ...this.#empty(), parts: [{ type: 'text', text: draftText(chunks), state: 'streaming' }] };
    this.changed();
  }

  #empty(): Message {
    return { id: this.id, role: 'assistant', parts: [] as UIMessage['parts'] } as Message;
  }
}

function joinDeltas(chunks: readonly Chunk[]): Chunk[] {
  const joined: Chunk[] = [];
  for (const chunk of chunks) {
    const last = joined.at(-1);
    const [part = '', delta = ''] = DELTAS[chunk.type] ?? [];
    const isSamePart = last?.type === chunk.type && part !== '' && last[part] === chunk[part];
    if (!isSamePart || chunk['providerMetadata'] !== undefined) joined.push(chunk);
    else joined[joined.length - 1] = { ...last, [delta]: String(last[delta]) + String(chunk[delta]) };
  }
  return joined;
}
