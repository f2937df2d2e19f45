/** The places of the messages of a topic of LobeHub: answers beside each other, results of parallel calls, and threads. */
import type { JsonObject } from '../../json-object.js';
import { idOf, isToolRole, objectOf } from '../shared/members.js';

export class TopicPath {
  /** The last message of each thread. */
  readonly #last = new Map<string, string>();
  /** The last result of each message with calls, and the message with the calls of each result. */
  readonly #lastResult = new Map<string, string>();
  readonly #caller = new Map<string, string>();
  /** The answer that is shown after a message with several. */
  readonly #shown = new Map<string, string>();
  /** Messages that are not shown, because another answer is. */
  readonly #beside = new Set<string>();
  #head: string | null = null;
  #inThreads = 0;

  /**
   * @param messages in the order of their times
   * @param threads by their ids
   */
  constructor(
    messages: readonly JsonObject[],
    readonly threads: ReadonlyMap<string, JsonObject>,
  ) {
    const answers = new Map<string, string[]>();
    for (const message of messages) {
      const [id, parent] = [idOf(message['id']), idOf(message['parentId'])];
      if (id === null || parent === null || isToolRole(message['role']) || idOf(message['threadId']) !== null) continue;
      const siblings = answers.get(parent);
      if (siblings === undefined) answers.set(parent, [id]);
      else siblings.push(id);
    }
    for (const { id, metadata } of messages) {
      const { activeBranchIndex: index } = objectOf(metadata);
      const shown = typeof index === 'number' ? answers.get(idOf(id) ?? '')?.[index] : undefined;
      if (shown !== undefined) this.#shown.set(idOf(id) ?? '', shown);
    }
  }

  /** The last message that is shown; null if all messages are in threads. */
  get head(): string | null {
    return this.#head;
  }

  /** The number of messages in threads. */
  get inThreads(): number {
    return this.#inThreads;
  }

  /** The message before this one: of its thread, at first the one that the thread starts from. */
  previousOf(message: JsonObject): string | null {
    const thread = idOf(message['threadId']);
    if (thread === null) return this.#head;
    return this.#last.get(thread) ?? idOf(this.threads.get(thread)?.['sourceMessageId']) ?? this.#head;
  }

  /** Results of parallel calls follow one another, and the next answer follows the last of them. */
  parentOf(message: JsonObject): string | null {
    const named = idOf(message['parentId']);
    if (named === null) return this.previousOf(message);
    if (idOf(message['threadId']) !== null) return named;
    return this.#lastResult.get(this.#caller.get(named) ?? named) ?? named;
  }

  /** @param node the message's node */
  add(message: JsonObject, node: string): void {
    const [thread, named] = [idOf(message['threadId']), idOf(message['parentId'])];
    if (thread !== null) {
      this.#last.set(thread, node);
      this.#inThreads++;
      return;
    }
    const shown = isToolRole(message['role']) ? undefined : this.#shown.get(named ?? '');
    const isOther = shown !== undefined && shown !== idOf(message['id']);
    if (isOther || this.#beside.has(this.parentOf(message) ?? '')) this.#beside.add(node);
    else this.#head = node;
    if (named === null || !isToolRole(message['role'])) return;
    const caller = this.#caller.get(named) ?? named;
    this.#lastResult.set(caller, node);
    this.#caller.set(node, caller);
  }
}
