/**
 * Appends the new messages of an imported conversation in several transactions. Only importConversation's last
 * transaction connects them to a branch: see docs/adr/0020-importing-in-steps.md.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { LEASE_MS, type ChatChange, type OpenImport } from '../../../conversation/change.js';
import { ChangedMeanwhileError, ImportUnderWayError } from '../../../conversation/errors.js';
import { paced } from '../../../scheduler/lock-pacing.js';
import { Placement, type Position } from '../../../conversation/saving/placement.js';
import type { PlacedMessage } from '../../../conversation/model.js';
import type { ConversationStore, LockedChat } from '../../../conversation/store.js';
import type { NodeTimes, SourceConversation, SourceNode } from '@parley/interchange/server';
import { importedMessage, WrittenValues } from './imported-message.js';
import { KnownMessages } from './known-messages.js';
import { nothingSaved, type SavedTree } from './saved-tree.js';

/** Nodes per transaction. A smaller conversation needs a single transaction. */
export const NODES_PER_STEP = 200;
/** Characters of message data after which a transaction ends. */
const DATA_PER_STEP = 1024 * 1024;
/** Milliseconds between two checks of another import's lease. */
const POLL_MS = 250;

export class NodeAppender {
  readonly known: KnownMessages;
  /** Without messageIds: the last transaction adds them. */
  readonly saved: SavedTree = nothingSaved();
  readonly #written: WrittenValues;
  readonly #holder = newId();
  #hasAppended = false;

  constructor(
    private readonly store: ConversationStore,
    private readonly userId: string,
    private readonly chatId: string,
    private readonly from: SourceConversation,
    private readonly times: NodeTimes,
  ) {
    this.known = new KnownMessages(chatId);
    this.#written = new WrittenValues(from, this.saved);
  }

  /**
   * Appends nothing when the chat does not exist.
   * @throws ImportUnderWayError, ChangedMeanwhileError
   */
  async append(): Promise<void> {
    await this.#waitForLease();
    for (let start = 0; start < this.from.nodes.length;) {
      const from = start;
      const step = await paced((begin) =>
        this.store.change(this.chatId, this.userId, (locked, change) => {
          begin();
          return this.#step(locked, change, from);
        }),
      );
      if (step === null && this.#hasAppended) throw new ChangedMeanwhileError(this.chatId);
      if (step === null) return;
      this.known.add(step.messages);
      this.#hasAppended ||= step.messages.length > 0;
      start = step.end;
    }
  }

  /** @throws ImportUnderWayError; ChangedMeanwhileError when this import has lost the lease */
  check(open: OpenImport | null): void {
    if (open?.holder === this.#holder) return;
    refuseIfLeased(open, this.chatId);
    if (this.#hasAppended) throw new ChangedMeanwhileError(this.chatId);
  }

  /** Has no effect outside the transaction, which may run again. */
  async #step(locked: LockedChat, change: ChatChange, start: number) {
    if (locked.chat.userId !== this.userId) throw new ChangedMeanwhileError(this.chatId);
    const open = await locked.openImport();
    this.check(open);
    const nodes = this.from.nodes.slice(start, start + NODES_PER_STEP);
    await this.known.read(locked, nodes);
    const placement = new Placement(locked, change);
    let [end, characters] = [start, 0];
    for (const node of nodes) {
      await locked.yieldIfDue();
      if (this.known.get(this.known.idOf(node.id)) === undefined) {
        const message = await this.#place(placement, node, this.times.each[end] ?? change.now);
        change.messages.push(message);
        characters += message.data.length;
      }
      end++;
      if (characters > DATA_PER_STEP) break;
    }
    if (change.messages.length > 0 || open?.holder === this.#holder) {
      const afterSeq = open?.afterSeq ?? (await locked.messageCount());
      change.openImport = this.lease(afterSeq);
    }
    return { messages: change.messages, end };
  }

  #place(placement: Placement, node: SourceNode, createdAt: number): Promise<PlacedMessage> {
    const parentId = node.parentId === null ? null : this.known.idOf(node.parentId);
    const parent = parentId === null ? null : (placement.placed(parentId) ?? this.known.get(parentId));
    if (parent === undefined) throw new Error(`the parent "${node.parentId}" comes after its child`);
    const make = (position: Position) => importedMessage(position, createdAt, node, this.#written);
    return placement.placeAs(parent, this.known.idOf(node.id), make);
  }

  /** The state of the import after a transaction that leaves the messages with higher seqs without a branch. */
  lease(afterSeq: number | null): OpenImport {
    return { afterSeq, userId: this.userId, holder: this.#holder, expiresAt: Date.now() + LEASE_MS };
  }

  /** Waits until another import's lease ends, unless it is renewed. */
  async #waitForLease(): Promise<void> {
    for (let seen: number | null = null; ; await pause(POLL_MS)) {
      const open = await this.store.change(this.chatId, this.userId, (locked) => locked.openImport());
      if (open === null || open.expiresAt < Date.now()) return;
      seen ??= open.expiresAt;
      if (open.expiresAt !== seen) throw new ImportUnderWayError(this.chatId);
    }
  }
}

/** @throws ImportUnderWayError when an import has a valid lease */
export function refuseIfLeased(open: OpenImport | null, chatId: string): void {
  if (open !== null && open.expiresAt >= Date.now()) throw new ImportUnderWayError(chatId);
}
