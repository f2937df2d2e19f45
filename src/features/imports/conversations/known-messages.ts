/** The messages of a conversation that an earlier import saved, and their ids in the chat. */
import { parse } from 'uuid';
import { isJsonObject } from '../../../conversation/text/merge-patch.js';
import type { Message } from '../../../conversation/model.js';
import type { LockedChat } from '../../../conversation/store.js';
import { columnNames, pickColumns, SEPARATE_MESSAGE_COLUMNS } from '../../../conversation/tables.js';
import {
  importedMessageId,
  importedVersionId,
  contentFingerprint,
  type SourceConversation,
  type SourceNode,
  UnreadableError,
} from '@parley/interchange/server';

/** Messages per query: few enough that the response has a possible length even at 1 MiB each. */
const MESSAGES_PER_READ = 200;

/** Data is left out: all messages of a conversation are in memory. */
const KEPT_COLUMNS = columnNames('messages', ['data', ...SEPARATE_MESSAGE_COLUMNS]);

export class KnownMessages {
  readonly #messages = new Map<string, Message>();
  /** Messages of nodes that changed under their ids after they were saved. */
  readonly #versions = new Map<string, string>();

  /** Computed once per node. */
  readonly #ids = new Map<string, string>();
  readonly #chatBytes: Uint8Array;

  constructor(private readonly chatId: string) {
    this.#chatBytes = parse(chatId);
  }

  /** Looks up the messages of all nodes, and the versions of those whose content changed. */
  static async of(locked: LockedChat, from: SourceConversation): Promise<KnownMessages> {
    const known = new KnownMessages(locked.chat.id);
    await known.read(locked, from.nodes);
    return known;
  }

  /** Looks up the messages of some nodes. */
  async read(locked: LockedChat, nodes: readonly SourceNode[]): Promise<void> {
    for (let i = 0; i < nodes.length; i += MESSAGES_PER_READ) {
      await this.#read(locked, nodes.slice(i, i + MESSAGES_PER_READ));
    }
  }

  /** Adds messages that were written since. */
  add(messages: readonly Message[]): void {
    for (const message of messages) this.#messages.set(message.id, { ...pickColumns(message, KEPT_COLUMNS), data: '' });
  }

  /** The id of the node's message, saved or not: of its newest version. */
  idOf(nodeId: string): string {
    return this.#versions.get(nodeId) ?? this.#firstId(nodeId);
  }

  get(id: string): Message | undefined {
    return this.#messages.get(id);
  }

  /** Whether the node's content differs from the message that was saved first. */
  isVersion(nodeId: string): boolean {
    return this.#versions.has(nodeId);
  }

  async #read(locked: LockedChat, nodes: readonly SourceNode[]): Promise<void> {
    const saved = await this.#take(
      locked,
      nodes.map((node) => this.#firstId(node.id)),
    );
    const versions: string[] = [];
    for (const node of nodes) {
      const data = saved.get(this.#firstId(node.id));
      const before = data === undefined ? null : hashIn(data);
      const now = before === null ? null : contentFingerprint(node.content().fingerprinted);
      if (before === null || now === null || before === now) continue;
      const id = importedVersionId(this.chatId, node.id, now);
      this.#versions.set(node.id, id);
      versions.push(id);
    }
    await this.#take(locked, versions);
  }

  #firstId(nodeId: string): string {
    let id = this.#ids.get(nodeId);
    if (id === undefined) this.#ids.set(nodeId, (id = importedMessageId(this.#chatBytes, nodeId)));
    return id;
  }

  /**
   * Keeps the messages without their data, which may be large.
   * @returns their data
   */
  async #take(locked: LockedChat, ids: string[]): Promise<Map<string, string>> {
    const data = new Map<string, string>();
    if (ids.length === 0) return data;
    for (const message of (await locked.takenBy(ids)).values()) {
      if (message.chatId !== this.chatId) throw new UnreadableError('One of its messages is in another chat already');
      this.#messages.set(message.id, { ...message, data: '' });
      data.set(message.id, message.data);
    }
    return data;
  }
}

/** The fingerprint in a saved message; null for messages of earlier versions and replaced ones. */
function hashIn(data: string): string | null {
  const value: unknown = JSON.parse(data);
  const metadata = isJsonObject(value) ? value['metadata'] : null;
  const found = isJsonObject(metadata) ? metadata['hash'] : null;
  return typeof found === 'string' ? found : null;
}
