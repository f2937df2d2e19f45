/** A chat inside a write transaction: conversation/store.ts's LockedChat in SQL. */
import type { Sql } from 'sql-template-tag';
import type { ContentBudget } from '../../conversation/content-budget.js';
import type { JumpNode } from '../../conversation/jumps.js';
import type { Branch, Chat, Checkpoint, Message } from '../../conversation/model.js';
import type { LockedChat } from '../../conversation/store.js';
import type { Transaction } from '../opening/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import { readMessages, type SelectMessages } from '../reading/message-data.js';
import { BeingRemovedError } from '../removing/removal.js';
import {
  toBranch,
  toCheckpoint,
  type BranchRow,
  type CheckpointRow,
  type Keyed,
  type TipRow,
} from '../reading/rows.js';

export class DatabaseLockedChat implements LockedChat {
  #active: Promise<Branch> | null = null;
  /** Of the head that messages are put behind. */
  #tip: { headId: string | null; childCount: number; ladder: JumpNode[]; messageCount: number } | null = null;

  constructor(
    readonly chat: Chat,
    private readonly tx: Transaction,
    private readonly sql: Dialect,
    /** Where what is read counts. */
    private readonly content?: ContentBudget,
  ) {}

  /** Asked for by most rules more than once; it cannot change while the chat is locked. */
  activeBranch(): Promise<Branch> {
    this.#active ??= this.#rows<BranchRow>(this.sql.activeBranches([this.chat.id])).then(([row]) => {
      if (row === undefined) throw new Error(`chat "${this.chat.id}" has no active branch`);
      return toBranch(row);
    });
    return this.#active;
  }

  async branch(name: string): Promise<Branch | null> {
    const [row] = await this.#rows<BranchRow>(this.sql.branchesByName([{ chatId: this.chat.id, name }]));
    return row === undefined ? null : toBranch(row);
  }

  async tip(name: string | null): Promise<Branch | null> {
    const [row] = await this.#rows<TipRow>(this.sql.tip(this.chat.id, name));
    if (row === undefined) return null;
    this.#tip = {
      headId: row.headMessageId,
      childCount: Number(row.lastIndex ?? -1) + 1,
      ladder: JSON.parse(row.ladder ?? '[]') as JumpNode[],
      messageCount: Number(row.lastSeq ?? 0),
    };
    const branch = toBranch(row);
    if (branch.isActive) this.#active = Promise.resolve(branch);
    return branch;
  }

  async branchesAt(headId: string): Promise<Branch[]> {
    return (await this.#rows<BranchRow>(this.sql.branchesAt([headId]))).map(toBranch);
  }

  async branchNames(prefix: string): Promise<string[]> {
    const rows = await this.#rows<{ name: string }>(this.sql.branchNames(this.chat.id, prefix));
    return rows.map((row) => row.name);
  }

  async checkpoint(name: string): Promise<Checkpoint | null> {
    const [row] = await this.#rows<CheckpointRow>(this.sql.checkpointsByName([{ chatId: this.chat.id, name }]));
    return row === undefined ? null : toCheckpoint(row);
  }

  async messages(ids: readonly string[]): Promise<Map<string, Message>> {
    const messages = await this.#messages((inlineBytes) => this.sql.messagesById(ids, inlineBytes), ids.length);
    return new Map(messages.map((message) => [message.id, message]));
  }

  async takenBy(ids: readonly string[]): Promise<Map<string, Message>> {
    const messages = await this.messages(ids);
    await this.#refuseRemains([...messages.values()]);
    return messages;
  }

  async ownerOf(chatId: string): Promise<string | null> {
    const [row] = await this.#rows<{ userId: string }>(this.sql.chatsById([chatId]));
    return row?.userId ?? null;
  }

  async ladder(messageId: string): Promise<JumpNode[]> {
    if (this.#tip?.headId === messageId) return this.#tip.ladder;
    return this.#rows<JumpNode>(this.sql.ladder(messageId));
  }

  async ancestorAt(messageId: string, depth: number): Promise<Message | null> {
    const piece = { messageId, toDepth: depth, length: 1 };
    const [ancestor] = await this.#messages((inlineBytes) => this.sql.paths([piece], inlineBytes), 1);
    return ancestor ?? null;
  }

  async lastAssistant(messageId: string): Promise<Message | null> {
    const [message] = await this.#messages((inlineBytes) => this.sql.lastAssistant(messageId, inlineBytes), 1);
    return message ?? null;
  }

  async latestLeaf(messageId: string): Promise<Message> {
    const [leaf] = await this.#rows<{ id: string }>(this.sql.latestLeaf(messageId));
    const message = leaf && (await this.messages([leaf.id])).get(leaf.id);
    if (message === undefined) throw new Error(`message "${messageId}" is gone`);
    return message;
  }

  async childCount(parentId: string | null): Promise<number> {
    if (this.#tip?.headId === parentId) return this.#tip.childCount;
    const rows = await this.#rows<Keyed & { total: number }>(
      this.sql.childCounts([{ chatId: this.chat.id, parentId }]),
    );
    return Number(rows[0]?.total ?? 0);
  }

  async messageCount(): Promise<number> {
    if (this.#tip !== null) return this.#tip.messageCount;
    const rows = await this.#rows<Keyed & { total: number }>(this.sql.messageCounts([this.chat.id]));
    return Number(rows[0]?.total ?? 0);
  }

  /** @throws BeingRemovedError when one of the messages is what is left of a chat: its id is free as soon as that has gone */
  async #refuseRemains(messages: readonly Message[]): Promise<void> {
    const others = new Set(messages.map(({ chatId }) => chatId));
    others.delete(this.chat.id);
    if (others.size === 0) return;
    const [remains] = await this.#rows<{ id: string }>(this.sql.remains([...others]));
    if (remains !== undefined) throw new BeingRemovedError(remains.id);
  }

  #messages(select: SelectMessages, count: number): Promise<Message[]> {
    const rows = <T extends object>(statement: Sql) => this.#rows<T>(statement);
    return readMessages({ sql: this.sql, rows, content: this.content }, select, count);
  }

  #rows<T extends object>(statement: Sql): Promise<T[]> {
    return this.tx.rows<T>(statement);
  }
}
