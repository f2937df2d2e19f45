/** Assembles the UIMessage of a draft from its chunks as they arrive: each chunk is processed once. */
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { draftText } from '../drafts/draft-text.js';
import { addChunk, chunkReader } from './assemble-message.js';
import { asError, toSdk, type Chunk } from './ui-message.js';

export interface DataChunk {
  readonly type: `data-${string}`;
  readonly id?: string;
  readonly data: unknown;
}

export class DraftAssembly<Message extends UIMessage> {
  /** The message so far; the same object until it changes. */
  message: Message;
  /** The text of an `error` chunk, or the reason why a chunk is invalid. */
  error: Error | undefined;
  /** The text of an `error` chunk. */
  failure: string | undefined;
  /** The `data-*` chunks. */
  readonly data: DataChunk[] = [];
  #stream!: ReadableStreamDefaultController<UIMessageChunk>;
  #fed: readonly unknown[] = [];
  readonly #chunksOf: (piece: unknown) => Chunk[];
  #isInvalid = false;
  #isClosed = false;

  constructor(
    readonly id: string,
    private readonly changed: () => void,
  ) {
    this.message = this.#empty();
    this.#chunksOf = chunkReader(id);
    const stream = new ReadableStream<UIMessageChunk>({ start: (controller) => void (this.#stream = controller) });
    void this.#read(stream);
  }

  /** @param all all chunks of the draft so far */
  feed(all: readonly unknown[]): void {
    const fresh = all.slice(this.#fed.length);
    if (fresh.length === 0 || this.#isClosed) return;
    this.#fed = all;
    if (this.#isInvalid) return this.#showText();
    const chunks: Chunk[] = [];
    for (const piece of fresh) {
      for (const chunk of this.#chunksOf(piece)) {
        addChunk(chunks, chunk);
        if (chunk.type.startsWith('data-')) this.data.push(chunk as unknown as DataChunk);
        if (chunk.type === 'error') this.failure = String(chunk['errorText']);
      }
    }
    for (const chunk of chunks) this.#stream.enqueue(toSdk(chunk));
  }

  close(): void {
    this.#isClosed = true;
    if (!this.#isInvalid) this.#stream.close();
  }

  async #read(stream: ReadableStream<UIMessageChunk>): Promise<void> {
    const onError = (reason: unknown) => (this.error = asError(reason));
    for await (const message of readUIMessageStream<Message>({ message: this.#empty(), stream, onError })) {
      if (this.#isClosed) return;
      this.message = message.id === this.id ? message : { ...message, id: this.id };
      this.changed();
    }
    // A chunk that the AI SDK rejects ends its stream.
    this.#isInvalid = !this.#isClosed;
    if (this.#isInvalid) this.#showText();
  }

  #showText(): void {
    const text = draftText(this.#fed);
    this.message = { ...this.#empty(), parts: [{ type: 'text', text, state: 'streaming' }] };
    this.changed();
  }

  #empty(): Message {
    return { id: this.id, role: 'assistant', parts: [] as UIMessage['parts'] } as Message;
  }
}
