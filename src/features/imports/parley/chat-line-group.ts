/** Collects and checks the lines of one chat. Depths, seqs and jumps are computed, never taken from the file. */
import type { WholeChat } from '../../../conversation/whole-chat.js';
import { fileReferences, referencesFault } from '../../../conversation/files/file-references.js';
import { checkJson, checkMetadata, MAX_INT, MAX_STORED_DATA_BYTES } from '../../../conversation/bounds.js';
import { jumpOfChild, type SavedNode } from '../../../conversation/saving/jumps.js';
import { messagePreview, shownText } from '../../../conversation/text/message-text.js';
import type { Branch, Chat, Checkpoint, StoredEvent, StoredMessage } from '../../../conversation/model.js';
import { PARLEY_VERSION, UnreadableError } from '@parley/interchange/server';
import {
  archivedMessageOf,
  loggedEventOf,
  nameOf,
  nullableName,
  numberOf,
  objectOf,
  sourceHashesOf,
  sourceIdsOf,
  timeOf,
  type Line,
} from './checked-values.js';
import { KeptRows } from './kept-rows.js';
import { LogReplay } from './log-replay.js';

/** Their ids are in memory. */
const MAX_FILES = 100_000;

/** The part of a message that other messages need; the nodes of a whole chat are in memory. */
interface Node extends SavedNode {
  children: number;
}

export class ChatLineGroup {
  readonly chat: Chat;
  /** The files that its messages refer to. */
  readonly fileIds = new Set<string>();
  readonly #count: number;
  readonly #nodes = new Map<string, Node>();
  #roots = 0;
  readonly #messages = new KeptRows<StoredMessage>();
  readonly #events = new KeptRows<StoredEvent>();
  readonly #replay = new LogReplay((id) => this.#nodes.get(id)?.seq);
  #lastEvent = 0;
  readonly #branches: Branch[] = [];
  /** The actors of the creation events of branches, by branch id. */
  readonly #creators = new Map<string, string>();
  readonly #checkpoints: Checkpoint[] = [];

  /**
   * @param line the first line of the chat
   * @param owner the new owner; null keeps the owner in the file
   * @param actor the new author of all messages and events; null keeps the authors in the file
   * @throws UnreadableError, InvalidInputError
   */
  constructor(
    line: Line,
    owner: string | null,
    private readonly actor: string | null,
  ) {
    if (line['parley'] !== PARLEY_VERSION) {
      throw new UnreadableError(`it has another version than ${PARLEY_VERSION}, the only one that can be read`);
    }
    const what = 'the chat';
    const chat = objectOf(line['chat'], what);
    this.chat = {
      id: nameOf(chat, 'id', what),
      userId: owner ?? nameOf(chat, 'userId', what),
      title: nullableName(chat, 'title', what),
      metadata: checkMetadata(objectOf(chat['metadata'], 'the metadata of the chat'), 'metadata'),
      createdAt: timeOf(chat, 'createdAt', what),
      updatedAt: timeOf(chat, 'updatedAt', what),
      version: numberOf(chat, 'version', what, 1, MAX_INT),
      usage: null,
    };
    this.#count = numberOf(chat, 'messages', what, 0, MAX_INT);
  }

  /** The message ids in order. */
  get messageIds(): string[] {
    return [...this.#nodes.keys()];
  }

  /**
   * @returns whether this was the last line of the chat
   * @throws UnreadableError, InvalidInputError
   */
  add(line: Line): boolean {
    if ('message' in line) this.#addMessage(objectOf(line['message'], 'a message'));
    else if ('branch' in line) this.#addBranch(objectOf(line['branch'], 'a branch'));
    else if ('checkpoint' in line) this.#addCheckpoint(objectOf(line['checkpoint'], 'a checkpoint'));
    else if ('event' in line) this.#addEvent(objectOf(line['event'], 'an event'));
    else if ('end' in line) return this.#end();
    else if ('incomplete' in line) throw new UnreadableError('its export was ended before its end');
    else throw new UnreadableError('one of its lines has an unknown kind');
    return false;
  }

  whole(): WholeChat {
    return {
      chat: this.chat,
      messageCount: this.#count,
      branches: this.#branches.map((branch) => ({ ...branch, createdBy: this.#creators.get(branch.id) ?? null })),
      checkpoints: this.#checkpoints,
      hasReplacedAuthors: this.actor !== null,
      messages: () => this.#messages.all(),
      events: () => this.#events.all(),
    };
  }

  close(): void {
    this.#messages.close();
    this.#events.close();
  }

  #addMessage(line: Line): void {
    const seq = this.#nodes.size + 1;
    const what = `message ${seq}`;
    const row = archivedMessageOf(this.actor === null ? line : { ...line, createdBy: this.actor }, what);
    const { id, parentId } = row;
    if (this.#nodes.has(id)) throw new UnreadableError(`two of its messages have the id ${JSON.stringify(id)}`);
    const parent = parentId === null ? null : this.#nodes.get(parentId);
    if (parent === undefined) throw new UnreadableError(`the parent of ${what} does not come before it`);
    const sourceIds = line['sourceIds'] === undefined ? [] : sourceIdsOf(line, what);
    const sources = sourceIds.map((sourceId, n) => {
      const source = this.#nodes.get(sourceId);
      if (source !== undefined) return { id: sourceId, seq: source.seq };
      throw new UnreadableError(`source ${n + 1} of ${what} does not come before it: ${JSON.stringify(sourceId)}`);
    });
    const sourceHashes = line['sourceHashes'] === undefined ? undefined : sourceHashesOf(line, sources.length, what);
    const { data: value } = line;
    if (value == null) throw new UnreadableError(`${what} has no data`);
    const data = checkJson(value, `the data of ${what}`, MAX_STORED_DATA_BYTES);
    const references = fileReferences(data);
    const fault = referencesFault(references);
    if (fault !== null) throw new UnreadableError(`${what} ${fault}`);
    for (const { fileId } of references) this.fileIds.add(fileId);
    if (this.fileIds.size > MAX_FILES) throw new UnreadableError(`its messages refer to more than ${MAX_FILES} files`);
    const depth = parent === null ? 0 : parent.depth + 1;
    const jumpId = parent === null ? id : jumpOfChild(parent, (node) => this.#nodes.get(node) as Node);
    const siblingIndex = parent === null ? this.#roots++ : parent.children++;
    this.#nodes.set(id, { id, depth, seq, jumpId, children: 0 });
    const message: StoredMessage = {
      ...row,
      chatId: this.chat.id,
      data,
      depth,
      seq,
      siblingIndex,
      jumpId,
      preview: messagePreview(shownText(value)),
      parentSeq: parent?.seq ?? null,
      sources,
      sourceHashes,
      // A spread object would slow down files of millions of lines.
      contentHash: null,
      usage: null,
    };
    this.#messages.add(message, data.length + 500 + 100 * (sources.length + (sourceHashes?.length ?? 0)));
  }

  #addBranch(line: Line): void {
    const what = `branch ${this.#branches.length + 1}`;
    const headMessageId = nullableName(line, 'headId', what);
    const { isActive } = line;
    if (typeof isActive !== 'boolean') throw new UnreadableError(`isActive of ${what} must be true or false`);
    this.#branches.push({
      id: nameOf(line, 'id', what),
      chatId: this.chat.id,
      name: nameOf(line, 'name', what),
      headMessageId,
      messageCount: headMessageId === null ? 0 : this.#message(headMessageId, what).depth + 1,
      isActive,
      createdAt: timeOf(line, 'createdAt', what),
      seq: numberOf(line, 'seq', what, 1, this.chat.version),
      createdBy: null,
    });
  }

  #addCheckpoint(line: Line): void {
    const what = `checkpoint ${this.#checkpoints.length + 1}`;
    const messageId = nameOf(line, 'messageId', what);
    this.#message(messageId, what);
    this.#checkpoints.push({
      id: nameOf(line, 'id', what),
      chatId: this.chat.id,
      name: nameOf(line, 'name', what),
      messageId,
      createdAt: timeOf(line, 'createdAt', what),
      seq: numberOf(line, 'seq', what, 1, this.chat.version),
    });
  }

  #addEvent(line: Line): void {
    const seq = this.#lastEvent + 1;
    const what = `event ${seq}`;
    numberOf(line, 'seq', what, seq, seq);
    const event = loggedEventOf(line, what, this.actor);
    const { type, payload } = event;
    if ((type === 'ChatCreated') !== (seq === 1)) throw new UnreadableError('its log does not begin with ChatCreated');
    this.#replay.add(seq, event);
    const actorId = this.actor ?? nameOf(line, 'actorId', what);
    if (type === 'BranchCreated') this.#creators.set(payload.branchId, actorId);
    const text = JSON.stringify(payload);
    this.#events.add(
      {
        chatId: this.chat.id,
        seq,
        type,
        actorId,
        createdAt: timeOf(line, 'createdAt', what),
        payload: text,
      },
      text.length + 200,
    );
    this.#lastEvent = seq;
  }

  #end(): true {
    const [messages, events] = [this.#nodes.size, this.#lastEvent];
    if (messages !== this.#count) throw new UnreadableError(`it has ${messages} of its ${this.#count} messages`);
    if (events !== this.chat.version) throw new UnreadableError(`it has ${events} of its ${this.chat.version} events`);
    if (this.#branches.filter(({ isActive }) => isActive).length !== 1) {
      throw new UnreadableError('it must have one active branch');
    }
    for (const [rows, what] of [
      [this.#branches, 'branches'],
      [this.#checkpoints, 'checkpoints'],
    ] as const) {
      for (const key of ['id', 'name', 'seq'] as const) {
        if (new Set(rows.map((row) => row[key])).size < rows.length) {
          throw new UnreadableError(`two of its ${what} have the same ${key}`);
        }
      }
    }
    this.#replay.end(this.#branches, this.#checkpoints);
    return true;
  }

  #message(id: string, what: string): Node {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new UnreadableError(`${what} names a message that the chat does not have`);
    return node;
  }
}
