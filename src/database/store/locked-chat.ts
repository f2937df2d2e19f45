/** LockedChat of conversation/store.ts in SQL, within a write transaction. */
import { validate, version } from 'uuid';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import type { OpenImport } from '../../conversation/change.js';
import type { SavedNode } from '../../conversation/saving/jumps.js';
import type { StoredDigest } from '../../conversation/saving/message-digest.js';
import type { Branch, Chat, Checkpoint, Message, SourceMessage } from '../../conversation/model.js';
import { MAX_LIST_LENGTH } from '../../conversation/paging.js';
import type { LockedChat, MessagePlace } from '../../conversation/store.js';
import type { Scope, Transaction } from '../connection/connection.js';
import { isKept } from '../change-hooks.js';
import type { Dialect } from '../dialects/dialect.js';
import { findDamagedLink } from '../reading/branches/damaged-links.js';
import { leafBelow, WALK_PIECE } from '../reading/branches/leaves-below.js';
import { readMessages, type SelectMessages } from '../reading/message-data.js';
import { pathsInSteps } from '../reading/branches/paths-in-steps.js';
import { PendingDeletionError } from '../removals.js';
import { toBranch, toChat, toCheckpoint, type BranchRow, type Keyed, type TipRow } from '../reading/rows.js';

const NAMES_AT_ONCE = 5_000;
type PieceEnd = Pick<Message, 'id' | 'depth' | 'name'>;

export class DatabaseLockedChat implements LockedChat {
  /** Reads links in this transaction. */
  readonly #links: Pick<Transaction, 'rows'> & { sql: Dialect };
  readonly yieldIfDue: Transaction['yieldIfDue'];
  #active: Promise<Branch> | null = null;
  /** The row of the head that messages are appended to. */
  #tip: { headId: string | null; childCount: number; ladder: SavedNode[]; messageCount: number } | null = null;

  /** Walks by the start of each piece, which other walks share. */
  readonly #lastAssistants = new Map<string, Message | null>();

  constructor(
    readonly chat: Chat,
    readonly tx: Transaction,
    readonly sql: Dialect,
    readonly scope: Scope,
    /** The tip that was read with the lock. */
    private readonly known?: { of: string | null | undefined; rows: readonly TipRow[] },
  ) {
    this.#links = { sql, rows: tx.rows };
    this.yieldIfDue = tx.yieldIfDue;
  }

  /** The locked chat of a database, for the statements of a feature. */
  static of(locked: LockedChat): DatabaseLockedChat {
    if (!(locked instanceof DatabaseLockedChat)) throw new TypeError('The chat is not that of a database');
    return locked;
  }

  /** Cached: most rules need it more than once, and it is constant under the lock. */
  activeBranch(): Promise<Branch> {
    this.#active ??= this.tx.rows<BranchRow>(this.sql.activeBranches([this.chat.id])).then(([row]) => {
      if (row === undefined) throw new Error(`chat "${this.chat.id}" has no active branch`);
      return toBranch(row);
    });
    return this.#active;
  }

  async branch(name: string): Promise<Branch | null> {
    const [row] = await this.tx.rows<BranchRow>(this.sql.branchesByName([{ chatId: this.chat.id, name }]));
    return row === undefined ? null : toBranch(row);
  }

  async branchById(id: string): Promise<Branch | null> {
    const [row] = await this.tx.rows<BranchRow>(this.sql.branches([this.#key(id)]));
    return row === undefined ? null : toBranch(row);
  }

  async tip(name: string | null): Promise<Branch | null> {
    const { known } = this;
    const [row] = known?.of === name ? known.rows : await this.tx.rows<TipRow>(this.sql.tip(this.chat.id, name));
    if (row === undefined) return null;
    const headId = row.headMessageId;
    const ladder = JSON.parse(row.ladder ?? '[]') as SavedNode[];
    for (const node of ladder) {
      if (node.id === headId) Object.assign(node, { contentHash: row.headHash, usage: row.headUsage });
    }
    this.#tip = {
      headId,
      childCount: (row.lastIndex ?? -1) + 1,
      ladder: headId === null ? [] : await this.#checkedLadder(headId, ladder),
      messageCount: row.lastSeq ?? 0,
    };
    const branch = toBranch(row);
    if (branch.isActive) this.#active = Promise.resolve(branch);
    return branch;
  }

  async branchesAt(headId: string): Promise<Branch[]> {
    const branches = (await this.tx.rows<BranchRow>(this.sql.branchesAt([this.#key(headId)], MAX_LIST_LENGTH))).map(
      toBranch,
    );
    return branches.sort((one, other) => one.seq - other.seq);
  }

  async branchAt(headId: string): Promise<Branch | null> {
    const active = await this.activeBranch();
    if (active.headMessageId === headId) return active;
    const [row] = await this.tx.rows<BranchRow>(this.sql.oldestBranchAt(this.chat.id, headId));
    return row === undefined ? null : toBranch(row);
  }

  async eachBranchName(prefix: string, note: (name: string) => void): Promise<void> {
    let from = prefix;
    let names;
    do {
      // Each page starts at the last name of the page before.
      names = await this.tx.rows<{ name: string }>(this.sql.branchNames(this.chat.id, prefix, from, NAMES_AT_ONCE));
      for (const { name } of names) note(name);
      from = names.at(-1)?.name ?? from;
    } while (names.length === NAMES_AT_ONCE);
  }

  async checkpoint(name: string): Promise<Checkpoint | null> {
    const [row] = await this.tx.rows<Checkpoint>(this.sql.checkpointsByName([{ chatId: this.chat.id, name }]));
    return row === undefined ? null : toCheckpoint(row);
  }

  async checkpointById(id: string): Promise<Checkpoint | null> {
    const [row] = await this.tx.rows<Checkpoint>(this.sql.checkpoints([this.#key(id)]));
    return row === undefined ? null : toCheckpoint(row);
  }

  async messages(ids: readonly string[]): Promise<Map<string, Message>> {
    const keys = ids.map((id) => this.#key(id));
    const messages = await this.#messages((inlineBytes) => this.sql.messages(keys, inlineBytes), ids.length);
    return new Map(messages.map((message) => [message.id, message]));
  }

  async messageAnywhere(id: string): Promise<Message | null> {
    const [message] = await this.#anywhere([id]);
    return message ?? null;
  }

  async takenBy(ids: readonly string[]): Promise<Map<string, Message>> {
    const messages = await this.#anywhere(ids);
    const others = new Set(messages.map(({ chatId }) => chatId));
    others.delete(this.chat.id);
    const [remains] =
      others.size === 0
        ? []
        : await this.tx.rows<{ id: string }>(this.sql.remains(Date.now(), isKept(this.scope), [...others]));
    if (remains !== undefined) throw new PendingDeletionError(remains.id);
    return new Map(messages.map((message) => [message.id, message]));
  }

  async reserveIds(ids: readonly string[]): Promise<Map<string, string>> {
    return (await this.tx.directory?.reserve(this.chat.id, ids)) ?? new Map<string, string>();
  }

  async placesOf(ids: readonly string[]): Promise<Map<string, MessagePlace>> {
    const places = await this.tx.rows<MessagePlace>(this.sql.placesById(ids));
    return new Map(places.map((place) => [place.id, place]));
  }

  async sourcesOf({ seq }: Pick<Message, 'seq'>): Promise<SourceMessage[]> {
    return this.tx.rows<SourceMessage>(this.sql.sourcesOf([{ chatId: this.chat.id, seq }]));
  }

  async chatNow(chatId: string): Promise<Chat | null> {
    const [row] = await this.tx.rows<Chat>(this.sql.chatsById([chatId]));
    return row === undefined ? null : toChat(row, this.sql);
  }

  async ladder(messageId: string): Promise<SavedNode[]> {
    if (this.#tip?.headId === messageId) return this.#tip.ladder;
    const rows = await this.tx.rows<SavedNode & StoredDigest>(this.sql.ladder(this.#key(messageId)));
    const ladder = rows.map(({ contentHash, usage, ...node }) =>
      node.id === messageId ? { ...node, contentHash, usage } : node,
    );
    return this.#checkedLadder(messageId, ladder);
  }

  async ancestorAt(messageId: string, depth: number): Promise<Message | null> {
    const piece = { chatId: this.chat.id, messageId, toDepth: depth, length: 1 };
    const [ancestor] = await pathsInSteps(this.#links, [piece], (pieces, count) =>
      this.#messages((inlineBytes) => this.sql.paths(pieces, inlineBytes), count),
    );
    return ancestor ?? null;
  }

  async lastAssistant(messageId: string): Promise<Message | null> {
    const walked: string[] = [];
    let found: Message | null = null;
    for (let at = messageId; ;) {
      const known = this.#lastAssistants.get(at);
      if (known !== undefined) {
        found = known;
        break;
      }
      walked.push(at);
      const [end] = await this.tx.rows<PieceEnd>(this.sql.assistantAbove(this.#key(at), WALK_PIECE));
      if (end?.name === 'assistant') found = (await this.messages([end.id])).get(end.id) ?? null;
      if (end === undefined || end.name === 'assistant' || end.depth === 0) break;
      if (end.id === at) {
        await findDamagedLink(this.#links, this.#key(at), end.depth - 1);
        break;
      }
      at = end.id;
    }
    for (const id of walked) this.#lastAssistants.set(id, found);
    return found;
  }

  async latestLeaf(messageId: string): Promise<Message> {
    const leafId = await leafBelow(this.#links, this.#key(messageId));
    const message = (await this.messages([leafId])).get(leafId);
    if (message === undefined) throw new Error(`message "${messageId}" is missing`);
    return message;
  }

  async childCount(parentId: string | null): Promise<number> {
    if (this.#tip?.headId === parentId) return this.#tip.childCount;
    const rows = await this.tx.rows<Keyed & { total: number }>(
      this.sql.childCounts([{ chatId: this.chat.id, parentId }]),
    );
    return rows[0]?.total ?? 0;
  }

  async messageCount(): Promise<number> {
    if (this.#tip !== null) return this.#tip.messageCount;
    const rows = await this.tx.rows<Keyed & { total: number }>(this.sql.messageCounts([this.chat.id]));
    return rows[0]?.total ?? 0;
  }

  async openImport(): Promise<OpenImport | null> {
    const [row] = await this.tx.rows<OpenImport>(this.sql.importOf(this.chat.id));
    return row ?? null;
  }

  /** @throws DamagedDataError when the path does not reach a root */
  async #checkedLadder(messageId: string, ladder: SavedNode[]): Promise<SavedNode[]> {
    for (const { id, depth, jumpId } of ladder) if (depth === 0 && jumpId === id) return ladder;
    await findDamagedLink(this.#links, this.#key(messageId), 0);
    return ladder;
  }

  #key(id: string): ChatScoped {
    return { chatId: this.chat.id, id };
  }

  /**
   * Messages of any chat. A directory has all ids except those in the form of the server, which need no entry: only these are
   * looked up in all chats, unless all are in this one.
   */
  async #anywhere(ids: readonly string[]): Promise<Message[]> {
    const { directory } = this.tx;
    if (directory !== undefined) {
      const areOfServer = ids.some((id) => validate(id) && version(id) === 7);
      const chats = areOfServer ? new Map<string, string>() : await directory.chatsOf(ids);
      const keys = ids.map((id) => ({ chatId: chats.get(id) ?? this.chat.id, id }));
      const found = await this.#messages((inlineBytes) => this.sql.messages(keys, inlineBytes), ids.length);
      if (!areOfServer || found.length === ids.length) return found;
    }
    return this.#messages((inlineBytes) => this.sql.messagesById(ids, inlineBytes), ids.length);
  }

  #messages(select: SelectMessages, count: number): Promise<(Message & Keyed)[]> {
    return readMessages({ ...this.#links, content: this.scope.content }, select, count);
  }
}
