/** Reads pages of messages, each once at a time, and retries while the server is unavailable. */
import type { Parley } from '../connection/create-parley.js';
import type { Operation } from '../connection/operation.js';
import type { Succeeded } from '../connection/result.js';
import { codeOf } from '@parley/transport/errors';
import { retry } from '@parley/transport/retry';
import {
  ReadAround,
  ReadGraph,
  ReadLatest,
  ReadNewer,
  ReadOnBranch,
  ReadPath,
  type PlacedFragment,
  type ReadGraphQuery,
  type ReadGraphQueryVariables,
} from '../generated/operations.js';

export interface Part {
  leafId: string;
  endId: string;
  /** The cursor of the last message; null at the end of the thread. */
  cursor: string | null;
}

interface Connection {
  edges: { node: PlacedFragment }[];
  pageInfo?: { hasNextPage: boolean; endCursor: string | null };
}

export class PageReader {
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(
    private readonly parley: Parley,
    private readonly pageSize: number,
    private readonly signal: AbortSignal,
    /** Applies a page. */
    private readonly take: (messages: readonly PlacedFragment[]) => void,
    /** Called when a read starts or ends. */
    private readonly changed: () => void,
  ) {}

  get isReading(): boolean {
    return this.#reading.size > 0;
  }

  /** The path that ends in a message. */
  path(messageId: string): Promise<void> {
    return this.#once(`path ${messageId}`, async () => {
      const { message } = await this.#run(ReadPath, { messageId, last: this.pageSize });
      if (message) this.#takePage(message.path);
    });
  }

  /**
   * Reads the messages after a message on the path to a leaf.
   * @returns the end of the page
   */
  newer(leafId: string, after: string): Promise<Part | null> {
    return this.#once(`newer ${leafId} ${after}`, async () => {
      const { message } = await this.#run(ReadNewer, { messageId: leafId, first: this.pageSize, after });
      return message && this.#partOf(leafId, message.path);
    });
  }

  /** Reads the messages around a message: on a branch that contains it, else on the newest thread through it. */
  around(messageId: string, branch: { chatId: string; name: string; headId: string } | null): Promise<Part | null> {
    return this.#once(`around ${messageId}`, async () => {
      const first = this.pageSize;
      if (branch) {
        const { chatId, name, headId } = branch;
        const onBranch = await this.#run(ReadOnBranch, { chatId, name, messageId, first }).catch((reason: unknown) => {
          // The message is on another branch.
          if (codeOf(reason) === 'BAD_USER_INPUT') return null;
          throw reason;
        });
        const page = onBranch?.chat?.branch?.messages;
        if (page) return this.#partOf(headId, page);
      }
      const { message } = await this.#run(ReadAround, { messageId, first });
      return message && this.#partOf(message.latestLeaf.id, message.latestLeaf.path);
    });
  }

  /**
   * Reads the newest thread through a message.
   * @returns its leaf
   */
  latest(messageId: string): Promise<string | null> {
    return this.#once(`latest ${messageId}`, async () => {
      const { message } = await this.#run(ReadLatest, { messageId, last: this.pageSize });
      if (!message) return null;
      this.#takePage(message.latestLeaf.path);
      return message.latestLeaf.id;
    });
  }

  /** Reads all messages of the chat, in pages of 1,000. */
  all(chatId: string): Promise<void> {
    return this.#once('all', async () => {
      let after: string | null = null;
      for (;;) {
        const variables: ReadGraphQueryVariables = { chatId, first: 1000, after };
        const { chat }: ReadGraphQuery = await this.#run(ReadGraph, variables);
        if (!chat) return;
        this.#takePage(chat.messages);
        const { hasNextPage, endCursor } = chat.messages.pageInfo;
        if (!hasNextPage) return;
        after = endCursor;
      }
    });
  }

  #takePage({ edges }: Connection): void {
    this.take(edges.map(({ node }) => node));
  }

  #partOf(leafId: string, page: Connection): Part | null {
    this.#takePage(page);
    const last = page.edges.at(-1);
    if (!last) return null;
    return {
      leafId,
      endId: last.node.id,
      cursor: page.pageInfo?.hasNextPage === true ? page.pageInfo.endCursor : null,
    };
  }

  #once<Value>(key: string, read: () => Promise<Value>): Promise<Value> {
    const running = this.#reading.get(key);
    if (running) return running as Promise<Value>;
    const started = read().finally(() => {
      this.#reading.delete(key);
      this.changed();
    });
    this.#reading.set(key, started);
    this.changed();
    return started;
  }

  #run<Result, Variables>(operation: Operation<Result, Variables>, variables: Variables): Promise<Succeeded<Result>> {
    const { parley, signal } = this;
    return retry(() => parley.run(operation, variables, signal), parley.retryDelay, signal);
  }
}
