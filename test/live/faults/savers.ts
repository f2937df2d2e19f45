/** Clients that save one message after the other and record acknowledgements. */
import type { HttpClient } from '../../support/server/http-client.js';

const SAVE = `mutation ($chatId: ID!, $id: ID!) {
  saveMessages(input: { chatId: $chatId, messages: [{ id: $id, name: "user", content: { text: "kept" } }] }) { __typename }
}`;

export class Savers {
  readonly acknowledged: string[] = [];
  /** The error codes of failed saves. */
  readonly codes = new Set<unknown>();
  /** The number of failed saves. */
  failures = 0;
  #isOver = false;
  /** The error that stopped the clients: a stopped server gives no response. */
  #end: Error | undefined;
  #wake = () => {};
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly server: HttpClient,
    private readonly count = 16,
  ) {}

  /** Gives each client a separate chat. */
  async start(): Promise<void> {
    const chats = Array.from({ length: this.count }, (_, n) => `chat-${n}`);
    for (const id of chats) await this.server.post(`mutation { createChat(input: { id: "${id}" }) { __typename } }`);
    const answered = chats.map((chatId) => this.#save(chatId));
    this.#running = Promise.all(answered).catch((error: Error) => {
      this.#end = error;
      this.#wake();
    });
  }

  /** Settles when `count` more saves have been acknowledged. */
  async more(count: number): Promise<void> {
    const goal = this.acknowledged.length + count;
    while (this.acknowledged.length < goal) await this.#news();
  }

  /** Settles when the next save has failed. */
  async failure(): Promise<void> {
    const before = this.failures;
    while (this.failures === before) await this.#news();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    if (this.#end !== undefined) throw this.#end;
  }

  async #news(): Promise<void> {
    if (this.#end === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#end !== undefined) throw this.#end;
  }

  async #save(chatId: string): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const id = `${chatId}-${n}`;
      const { data, errors } = await this.server.post(SAVE, { chatId, id });
      if (errors === undefined && JSON.stringify(data).includes('SaveMessagesPayload')) this.acknowledged.push(id);
      else {
        this.failures++;
        this.codes.add(errors?.[0]?.extensions?.['code'] ?? JSON.stringify(data));
      }
      this.#wake();
    }
  }
}
