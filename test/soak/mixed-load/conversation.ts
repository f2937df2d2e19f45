/** A chat and weighted random operations on it: every operation occurs, frequent ones most often. */
import type { Client } from './client.js';
import * as documents from './documents.js';

const WORDS = 'walking along the river in Porto with a camera, an umbrella and too many questions about trams'.split(
  ' ',
);

/** The operations, with their weights in percent. */
const STEPS = [
  [32, 'save'],
  [15, 'read'],
  [8, 'find'],
  [6, 'edit'],
  [5, 'context'],
  [5, 'rewind'],
  [5, 'page'],
  [4, 'switchBack'],
  [4, 'list'],
  [4, 'bookmark'],
  [3, 'sibling'],
  [3, 'btw'],
  [3, 'update'],
  [3, 'history'],
] as const;

export class Conversation {
  /** Ids of messages that certainly exist. */
  readonly #messageIds: string[] = [];
  #saved = 0;

  constructor(
    readonly id: string,
    private readonly client: Client,
  ) {}

  async begin(): Promise<void> {
    await this.client.ask(documents.CREATE, { id: this.id, title: `About ${sentence(3)}` }, 'UpsertChatPayload');
    await this.save();
  }

  /** Runs a random operation. */
  step(): Promise<unknown> {
    let left = Math.random() * 100;
    const [, name] = STEPS.find(([weight]) => (left -= weight) < 0) ?? STEPS[0];
    return this[name]();
  }

  /** Saves a question and an answer. @returns the version of the chat; null if saving failed */
  async save(): Promise<number | null> {
    const ids = [`${this.id}-${++this.#saved}-question`, `${this.id}-${this.#saved}-answer`];
    const [question, answer] = ids;
    const messages = [
      { id: question, name: 'user', content: { text: sentence(12) } },
      { id: answer, name: 'assistant', content: { data: { parts: [{ type: 'text', text: sentence(120) }] } } },
    ];
    const data = await this.client.ask(documents.SAVE, { chatId: this.id, messages }, 'SaveMessagesPayload');
    if (data === null) return null;
    this.#messageIds.push(...ids);
    return (data['saveMessages'] as { chat: { version: number } }).chat.version;
  }

  /** Deletes the chat with all its content. */
  remove(): Promise<unknown> {
    return this.client.ask(documents.DELETE, { id: this.id }, 'DeleteChatPayload');
  }

  private readonly read = () => this.client.ask(documents.READ, { id: this.id, words: oneOf(WORDS) });
  private readonly page = () => this.client.ask(documents.PAGE, { id: this.id });
  private readonly list = () => this.client.ask(documents.LIST, {});
  private readonly switchBack = () => this.client.ask(documents.SWITCH, { chatId: this.id }, 'BranchPayload');
  private readonly btw = () => this.client.ask(documents.BTW, { chatId: this.id }, 'BranchPayload');

  private async find(): Promise<void> {
    await this.client.ask(documents.FIND, { id: this.id, words: `${oneOf(WORDS)} "${oneOf(WORDS)}" -tram*` });
  }

  private async history(): Promise<void> {
    await this.client.ask(documents.HISTORY, { id: this.id });
    await this.client.ask(documents.GRAPH, { id: this.id });
  }

  private async context(): Promise<void> {
    const fragments = [
      { name: 'role', data: sentence(20) },
      { name: 'rules', data: { style: 'short', list: WORDS } },
    ];
    const renderer = oneOf(['XML', 'MARKDOWN', 'TOML', 'TOON']);
    await this.client.ask(documents.CONTEXT, { id: this.id, input: { fragments, renderer } });
  }

  private async edit(): Promise<void> {
    const variables = { ...this.#oneMessage(), text: sentence(15) };
    await this.client.ask(documents.EDIT, variables, 'SaveMessagesPayload');
  }

  private async rewind(): Promise<void> {
    await this.client.ask(documents.REWIND, this.#oneMessage(), 'BranchPayload');
  }

  private async sibling(): Promise<void> {
    await this.client.ask(documents.SIBLING, this.#oneMessage(), 'BranchPayload');
  }

  private async update(): Promise<void> {
    const variables = { id: this.id, title: sentence(4), n: { [oneOf(['a', 'b', 'c'])]: Math.random() } };
    await this.client.ask(documents.UPDATE, variables, 'UpdateChatPayload');
  }

  private async bookmark(): Promise<void> {
    const set = await this.client.ask(documents.BOOKMARK, this.#oneMessage(), 'CheckpointPayload');
    if (set === null) return;
    await this.client.ask(documents.RESTORE, { chatId: this.id }, 'BranchPayload');
    await this.client.ask(documents.FORGET, { chatId: this.id }, 'DeleteCheckpointPayload');
  }

  #oneMessage(): { chatId: string; messageId: string } {
    return { chatId: this.id, messageId: oneOf(this.#messageIds) };
  }
}

function oneOf<T>(choices: readonly T[]): T {
  return choices[Math.floor(Math.random() * choices.length)]!;
}

function sentence(words: number): string {
  return Array.from({ length: words }, () => oneOf(WORDS)).join(' ');
}
