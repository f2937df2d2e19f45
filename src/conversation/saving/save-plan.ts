/**
 * The rule of saveMessages and editMessage, applied message by message:
 * - an unknown id is appended to the branch;
 * - a known id with the same content is a retry: nothing is written;
 * - a known id with other content is an edit: a new version is saved as a sibling on a new active branch, and the following
 *   messages continue there. An edit whose original is no longer on the path after an earlier edit of the same save
 *   follows that edit. See docs/adr/database/0003-saving.md.
 */
import { v7 as newId } from 'uuid';
import type { NextBranchNames } from '../branches/branch-names.js';
import { headOf, namesAfter, outcomeOf, requireFreeName, type BranchOutcome } from '../branches/branches.js';
import type { ChatChange } from '../change.js';
import { isSameMessage, type MessageInput } from './content.js';
import { HeadConflictError } from '../errors.js';
import { requireMessage } from '../messages.js';
import type { Branch, ConflictPolicy, Message, ParentPlace, PlacedMessage, Viewer } from '../model.js';
import { Placement } from './placement.js';
import type { SaveSources } from './sources.js';
import type { LockedChat } from '../store.js';
import { pickColumns, SAVED_MESSAGE_COLUMNS } from '../tables.js';

/** The outcome of a save, whose branch ends in the last message. */
export interface SaveOutcome extends BranchOutcome {
  /** As saved, in the given order. */
  messages: Message[];
  /** Whether an edit or FORK created a branch. */
  branched: boolean;
  hasCreatedChat: boolean;
}

export interface PlannedMessage extends MessageInput {
  /** Null: the lazy id LAST_ASSISTANT, resolved when the message is placed. */
  id: string | null;
}

export interface SaveOptions {
  expectedHeadId?: string | null | undefined;
  /** REJECT by default. */
  onConflict?: ConflictPolicy | undefined;
  /** The parent of the first message, null for a root; undefined: the target's head. */
  parent?: Message | null | undefined;
  branchName?: string | null | undefined;
  sources?: (() => SaveSources) | undefined;
  /**
   * Whether new branches become active, unless the actor is a COMMENTER.
   * @default true
   */
  isActivating?: boolean | undefined;
}

export class SavePlan {
  readonly #placement: Placement;
  readonly #results: Message[] = [];
  /** New messages after the branch's head that are not yet part of the change. */
  readonly #run: PlacedMessage[] = [];
  #names: NextBranchNames | null = null;
  #branch: Branch;
  #tail: ParentPlace;
  #isWriting = false;
  /** Whether the branch is new. It is activated after its messages, so that the log has one event for it. */
  #isNew = false;
  #hasForked = false;
  #hasEdited = false;

  constructor(
    private readonly locked: LockedChat,
    private readonly change: ChatChange,
    private readonly viewer: Viewer,
    private readonly target: Branch,
    private readonly known: Map<string, Message>,
    private readonly options: SaveOptions = {},
  ) {
    this.#placement = new Placement(locked, change);
    this.#branch = target;
    this.#tail = options.parent === undefined ? headOf(target) : options.parent;
  }

  async add(input: PlannedMessage): Promise<void> {
    const id = input.id ?? (await this.#lastAssistantId());
    const known = this.#placement.placed(id) ?? this.known.get(id);
    this.#results.push(await this.#save(input, id, known));
  }

  async #save(input: PlannedMessage, id: string, known: Message | undefined): Promise<Message> {
    if (known === undefined) {
      // After a recognised edit, the message is placed as it was when the edit was made.
      await this.#beginWriting({ isEdit: this.#hasEdited });
      return this.#append(input, id);
    }
    if (await this.#isSame(known, input)) {
      const isBehind = this.options.parent !== undefined && known.parentId === (this.#tail?.id ?? null);
      if ((this.#hasEdited || isBehind) && !this.#isWriting) this.#tail = known;
      return known;
    }
    return (await this.#recognisedEdit(known, input)) ?? (await this.#edit(known, input, newId()));
  }

  /** Saves another version of a message, even if an equal one exists. */
  async addVersion(original: Message, input: MessageInput, id: string): Promise<void> {
    this.#results.push(await this.#edit(original, input, id));
  }

  async finish(): Promise<SaveOutcome> {
    this.#endRun();
    const branch = this.change.isEmpty ? await this.#branchOfRetry() : this.#branch;
    const outcome = await outcomeOf(this.locked, this.change, branch);
    return { ...outcome, messages: this.#results, branched: this.#hasForked, hasCreatedChat: this.change.isNew };
  }

  /** The newest assistant message of this save so far, else on the branch, else a new id. */
  async #lastAssistantId(): Promise<string> {
    const ofSave = this.#results.findLast((message) => message.name === 'assistant');
    const { start } = this.#pathOfSave();
    const newest = ofSave ?? (start === null ? null : await this.locked.lastAssistant(start.id));
    if (newest === null) return newId();
    this.known.set(newest.id, newest);
    return newest.id;
  }

  async #append(input: MessageInput, id: string): Promise<Message> {
    // The branch may have grown after a recognised edit.
    if (this.#run.length === 0 && this.#branch.headMessageId !== (this.#tail?.id ?? null)) await this.#fork(this.#tail);
    const values = { ...pickColumns(input, SAVED_MESSAGE_COLUMNS), id, data: input.dataFor(id, input.name) };
    const sources =
      input.sources && (await this.options.sources?.().find(input.sources, (of) => this.#placement.placed(of)));
    const message = await this.#placement.place(this.#tail, values, sources);
    this.#run.push(message);
    this.#tail = message;
    return message;
  }

  async #isSame(message: Message, input: MessageInput): Promise<boolean> {
    if (!isSameMessage(message, input)) return false;
    return input.sources === undefined || (await this.options.sources?.().areThoseOf(message, input.sources)) !== false;
  }

  async #edit(original: Message, input: MessageInput, id: string): Promise<Message> {
    await this.#beginWriting({ isEdit: true });
    if (!this.#hasEdited || (await this.#isOnPath(original))) {
      await this.#fork(placeOfParent(original));
    }
    this.#hasEdited = true;
    return this.#append(input, id);
  }

  /**
   * The version saved by an earlier attempt of the same edit: it is on the active branch where the edit would be
   * placed. Checked only before the first write, since an attempt writes all or nothing.
   */
  async #recognisedEdit(original: Message, input: MessageInput): Promise<Message | null> {
    if (this.#isWriting) return null;
    const active = await this.locked.activeBranch();
    if (active.headMessageId === null) return null;
    const previous = this.#hasEdited ? this.#results.at(-1) : undefined;
    const [parentId, depth] = previous ? [previous.id, previous.depth + 1] : [original.parentId, original.depth];
    const version = await this.locked.ancestorAt(active.headMessageId, depth);
    if (version === null || version.parentId !== parentId || !(await this.#isSame(version, input))) return null;
    this.#hasEdited = true;
    this.#branch = active;
    this.#tail = version;
    return version;
  }

  async #isOnPath(message: Message): Promise<boolean> {
    const { placed, start } = this.#pathOfSave();
    if (placed.has(message.id)) return true;
    if (start === null || start.depth < message.depth) return false;
    return (await this.locked.ancestorAt(start.id, message.depth))?.id === message.id;
  }

  /** The path that ends in the tail: its messages of this save, and the saved message before them. */
  #pathOfSave(): { placed: Set<string>; start: ParentPlace } {
    const placed = new Set<string>();
    let start = this.#tail;
    for (let message; start !== null && (message = this.#placement.placed(start.id)) !== undefined;) {
      placed.add(message.id);
      start = placeOfParent(message);
    }
    return { placed, start };
  }

  /** Compares the head with the expected one before the first write. */
  async #beginWriting({ isEdit }: { isEdit: boolean }): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    const { expectedHeadId, onConflict = 'REJECT' } = this.options;
    if (expectedHeadId === undefined || expectedHeadId === this.target.headMessageId) return;

    const expected = expectedHeadId === null ? null : await requireMessage(this.locked, this.viewer, expectedHeadId);
    if (onConflict === 'FORK') {
      // An edit creates its own branch, away from the head.
      if (!isEdit) await this.#fork(expected);
      return;
    }
    const newer = await countNewerThan(this.locked, this.target, expected);
    if (onConflict === 'REJECT' || newer === null) {
      throw new HeadConflictError(this.target, expectedHeadId, newer ?? 0);
    }
  }

  async #fork(at: ParentPlace): Promise<void> {
    this.#endRun();
    const { branchName } = this.options;
    const asked = this.#hasForked ? null : branchName;
    if (asked != null) await requireFreeName(this.locked, this.change, asked);
    this.#branch = this.change.createBranch(asked ?? (await this.#nextName()), at);
    this.#isNew = true;
    this.#tail = at;
    this.#hasForked = true;
  }

  async #nextName(): Promise<string> {
    this.#names ??= await namesAfter(this.locked, this.target.name);
    if (this.options.branchName != null) this.#names.note(this.options.branchName);
    return this.#names.take();
  }

  #endRun(): void {
    const run = this.#run.splice(0);
    this.#branch = this.change.append(this.#branch, run);
    this.change.isSave = true;
    const { isActivating = true } = this.options;
    if (this.#isNew && isActivating && this.change.role !== 'COMMENTER')
      this.#branch = this.change.activate(this.#branch);
    this.#isNew = false;
  }

  /**
   * Nothing was written: returns a branch that ends in the last message, preferring the target, then the active one.
   */
  async #branchOfRetry(): Promise<Branch> {
    const last = this.#results.at(-1);
    if (last === undefined) return this.#branch;
    if (this.target.headMessageId === last.id) return this.target;
    return (await this.locked.branchAt(last.id)) ?? this.#branch;
  }
}

/** The number of messages after this one on a branch; null when it is not on the branch. */
export async function countNewerThan(
  locked: LockedChat,
  { headMessageId, messageCount }: Branch,
  expected: Message | null,
): Promise<number | null> {
  if (expected === null) return messageCount;
  if (headMessageId === null) return null;
  const there = await locked.ancestorAt(headMessageId, expected.depth);
  return there?.id === expected.id ? messageCount - 1 - expected.depth : null;
}

function placeOfParent(message: Message): ParentPlace {
  return message.parentId === null ? null : { id: message.parentId, depth: message.depth - 1 };
}
