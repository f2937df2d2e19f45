/** A client that writes a draft through servers that restart, and repeats requests without a response. */
import { setTimeout as pause } from 'node:timers/promises';

const FIELDS = `__typename ... on Error { message } ... on DraftOffsetError { length } ... on DraftPayload { draft { length state } }`;
const START = `mutation ($input: StartDraftInput!) { startDraft(input: $input) { ${FIELDS} } }`;
const APPEND = `mutation ($input: AppendToDraftInput!) { appendToDraft(input: $input) { ${FIELDS} } }`;
const STOP = `mutation ($input: DraftInput!) { stopDraft(input: $input) { ${FIELDS} } }`;
const FINISH = `mutation ($input: FinishDraftInput!) {
  finishDraft(input: $input) { __typename ... on Error { message } ... on SaveMessagesPayload { messages { id text } } }
}`;

interface Answer {
  __typename: string;
  message?: string;
  length?: number;
  draft?: { length: number; state: string };
  messages?: { id: string; text: string }[];
}

export interface DraftKey {
  chatId: string;
  id: string;
}

/** Chunk n of a draft: a text, or a chunk of the AI SDK. */
export function chunkOf({ id }: DraftKey, n: number): unknown {
  const text = `${id}:${n} `;
  return n % 3 === 0 ? { type: 'text-delta', id: '0', delta: text } : text;
}

/** The text of the first `length` chunks. */
export function textOf({ id }: DraftKey, length: number): string {
  return Array.from({ length }, (_, n) => `${id}:${n} `).join('');
}

export class DraftWriter {
  /** The number of chunks that a server has acknowledged. */
  acknowledged = 0;
  #isKilled = false;
  #turn: number;

  constructor(
    readonly key: DraftKey,
    /** GraphQL URLs: after a lost response, the next server receives the request. */
    private readonly urls: readonly string[],
    /** Called with each unexpected response. */
    private readonly onFailure: (what: string) => void,
  ) {
    this.#turn = key.id.length + Number(key.id.at(-1));
  }

  /** Ends the writer without ending its draft. */
  kill(): void {
    this.#isKilled = true;
  }

  async start(): Promise<void> {
    await this.#untilAnswered(START, { ...this.key, idleTimeout: 3600 }, 'DraftPayload');
  }

  stop(): Promise<unknown> {
    return this.#untilAnswered(STOP, this.key, 'DraftPayload');
  }

  /**
   * Appends in pieces of different sizes, from the current length of the draft up to a length.
   * @param paceMs between two appends
   * @returns the number of chunks: less if it was stopped or killed
   */
  async write(upTo: number, paceMs: number, onProgress: (length: number) => void): Promise<number> {
    // A writer that continues a draft does not know its length: the server returns it.
    let offset = this.acknowledged;
    for (let n = 0; offset < upTo && !this.#isKilled; n++) {
      const end = Math.min(upTo, offset + 1 + (n % 9));
      const chunks = Array.from({ length: end - offset }, (_, k) => chunkOf(this.key, offset + k));
      const answer = await this.#untilAnswered(APPEND, { ...this.key, offset, chunks });
      if (answer === null || this.#hasBeenKilled()) break;
      const length = answer.draft?.length ?? answer.length;
      if (length === undefined) {
        this.onFailure(`${this.key.id} at ${offset}: ${answer.__typename} ${answer.message}`);
        break;
      }
      if (length < this.acknowledged)
        this.onFailure(`${this.key.id} had ${this.acknowledged} chunks, and has ${length}`);
      offset = this.acknowledged = length;
      onProgress(length);
      if (answer.draft?.state === 'STOPPING') break;
      await pause(paceMs);
    }
    return this.acknowledged;
  }

  /** Finishes the draft as a message, whose text must be complete. */
  async finish(): Promise<void> {
    const answer = await this.#untilAnswered(FINISH, this.key, 'SaveMessagesPayload');
    const [message] = answer?.messages ?? [];
    const isRight = message?.id === this.key.id && message.text === textOf(this.key, this.acknowledged);
    if (answer !== null && !isRight) this.onFailure(`${this.key.id} became ${JSON.stringify(message)}`);
  }

  /** Read again after each await: the writer may be killed meanwhile. */
  #hasBeenKilled(): boolean {
    return this.#isKilled;
  }

  /** Sends a request to one server after the other until one responds; null if the writer is killed before. */
  async #untilAnswered(query: string, input: object, expected?: string): Promise<Answer | null> {
    while (!this.#isKilled) {
      const answer = await ask(this.urls[this.#turn % this.urls.length] ?? '', query, { input });
      if (answer === null) {
        this.#turn++;
        // Stopped servers refuse at once.
        await pause(20);
        continue;
      }
      if (expected !== undefined && answer.__typename !== expected) {
        this.onFailure(`${this.key.id}: ${answer.__typename} ${answer.message} instead of a ${expected}`);
      }
      return answer;
    }
    return null;
  }
}

/** Null without a response, or if the server was temporarily unable to respond. */
async function ask(url: string, query: string, variables: object): Promise<Answer | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as {
      data?: Record<string, Answer> | null;
      errors?: { message: string; extensions?: { code?: string } }[];
    };
    if (errors?.some(({ extensions }) => extensions?.code === 'DATABASE_UNAVAILABLE')) return null;
    return Object.values(data ?? {})[0] ?? { __typename: 'Errors', message: JSON.stringify(errors) };
  } catch {
    return null;
  }
}
