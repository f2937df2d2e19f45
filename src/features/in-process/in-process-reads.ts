import {
  ContextError,
  ContextStore,
  type BranchData,
  type ChatData,
  type CheckpointData,
  type ComparisonData,
  type FileData,
  type FileOfMessage,
  type GraphData,
  type ListChatsOptions,
  type MessageData,
  type PlaceData,
  type ReadFileOptions,
  type SearchChatsOptions,
  type SearchOptions,
  type SearchResult,
  type SourcePathData,
} from '@parley/context';
import {
  chatNotFound,
  invalid,
  messageNotFound,
  newestMerges,
  toBranchInfo,
  toCheckpointInfo,
  toListOptions,
  toPathLength,
  toPlace,
  toChatsSearch,
  toSearch,
} from '@parley/context/server';
import { isPossibleId } from '../../conversation/bounds.js';
import { differences } from '../../conversation/comparison.js';
import type { Chat, Message, Viewer } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/access/ownership.js';
import { WHOLE_LIST } from '../../conversation/paging.js';
import type { ConversationReads } from '../../conversation/reads.js';
import type { Files } from '../../files/files.js';
import { listChats } from './list-chats.js';
import { toBranchData, toChatData, toCheckpointData, toGraphNode, toMessageData } from './rows.js';
import { search } from './search.js';
import { asContextErrors } from './store-errors.js';

export interface InProcessReadsOptions {
  reads: ConversationReads;
  files: Files;
  /** The user who reads and writes: chats that this user may not access are missing. */
  viewer: Viewer;
  /** Whether the database is closed. @default it never is */
  isClosed?: (() => boolean) | undefined;
}

/** The reads of a store on the database of this process, by the same rules as the server's. */
export abstract class InProcessReads extends ContextStore {
  protected readonly reads: ConversationReads;
  protected readonly viewer: Viewer;
  protected readonly files: Files;
  readonly #isClosed: () => boolean;

  constructor({ reads, files, viewer, isClosed = () => false }: InProcessReadsOptions) {
    super();
    this.reads = reads;
    this.files = files;
    this.viewer = viewer;
    this.#isClosed = isClosed;
  }

  override getChat(chatId: string): Promise<ChatData | null> {
    return this.run(async () => {
      const chat = await this.findChat(chatId);
      return chat === null ? null : toChatData(chat);
    });
  }

  override listChats(options: ListChatsOptions = {}): Promise<ChatData[]> {
    return this.run(async () => (await listChats(this.reads, this.viewer, toListOptions(options))).map(toChatData));
  }

  override getMessage(messageId: string): Promise<MessageData | null> {
    return this.run(async () => {
      const message = await this.#message(messageId);
      return message === null ? null : toMessageData(message);
    });
  }

  override getMessageChain(headMessageId: string): Promise<MessageData[]> {
    return this.run(async () => {
      const head = await this.#message(headMessageId);
      if (head === null) throw messageNotFound(headMessageId);
      const [chain = []] = await this.reads.chains([
        { chatId: head.chatId, messageId: headMessageId, length: head.depth + 1 },
      ]);
      return chain.map(toMessageData);
    });
  }

  override readFile(file: FileOfMessage, { maxBytes = Infinity }: ReadFileOptions = {}): Promise<FileData | null> {
    return this.run(() => this.files.readWhole(this.viewer, file, maxBytes));
  }

  override hasChildren(messageId: string): Promise<boolean> {
    return this.run(async () => {
      const message = await this.#message(messageId);
      if (message === null) throw messageNotFound(messageId);
      const [count = 0] = await this.reads.childCounts([{ chatId: message.chatId, parentId: messageId }]);
      return count > 0;
    });
  }

  override getBranch(chatId: string, name: string): Promise<BranchData | null> {
    return this.run(async () => {
      if ((await this.findChat(chatId)) === null || !isPossibleId(name)) return null;
      const [branch] = await this.reads.branchesByName([{ chatId, name }]);
      return branch == null ? null : toBranchData(branch);
    });
  }

  override getActiveBranch(chatId: string): Promise<BranchData> {
    return this.run(async () => {
      await this.requireChat(chatId);
      const [branch] = await this.reads.activeBranches([chatId]);
      if (branch === undefined) throw chatNotFound(chatId);
      return toBranchData(branch);
    });
  }

  override listBranches(chatId: string): Promise<BranchData[]> {
    return this.run(async () => {
      await this.requireChat(chatId);
      return (await this.reads.branchPages([chatId], WHOLE_LIST)).flatMap(({ rows }) => rows.map(toBranchData));
    });
  }

  override getCheckpoint(chatId: string, name: string): Promise<CheckpointData | null> {
    return this.run(async () => {
      if ((await this.findChat(chatId)) === null || !isPossibleId(name)) return null;
      const [checkpoint] = await this.reads.checkpointsByName([{ chatId, name }]);
      return checkpoint == null ? null : toCheckpointData(checkpoint);
    });
  }

  override listCheckpoints(chatId: string): Promise<CheckpointData[]> {
    return this.run(async () => {
      await this.requireChat(chatId);
      return (await this.reads.checkpointPages([chatId], WHOLE_LIST)).flatMap(({ rows }) => rows.map(toCheckpointData));
    });
  }

  override searchMessages(chatId: string, query: string, options: SearchOptions = {}): Promise<SearchResult[]> {
    return this.run(async () => {
      const asked = toSearch(options);
      await this.requireChat(chatId);
      return search(this.reads, { chatId }, { query, ...asked });
    });
  }

  override searchChats(userId: string, query: string, options: SearchChatsOptions = {}): Promise<SearchResult[]> {
    return this.run(async () => {
      const asked = toChatsSearch(options);
      if (!isPossibleId(userId)) return [];
      if (userId !== this.viewer.userId && !this.viewer.isAdmin) {
        throw invalid("userId: only an admin may search another user's chats", 'userId');
      }
      return search(this.reads, { userId }, { query, ...asked });
    });
  }

  override compare(chatId: string, base: PlaceData, head: PlaceData): Promise<ComparisonData | null> {
    return this.run(async () => {
      const places = [toPlace(base, 'base'), toPlace(head, 'head')] as const;
      await this.requireChat(chatId);
      const [from, to] = await Promise.all(places.map((place) => this.#messageAt(chatId, place)));
      if (from == null || to == null) return null;
      const pair = { chatId, baseId: from.id, headId: to.id };
      const [commonAncestor = null] = await this.reads.commonAncestors([pair]);
      return {
        ...differences({ base: from, head: to, commonAncestor }),
        base: toMessageData(from),
        head: toMessageData(to),
        commonAncestor: commonAncestor && toMessageData(commonAncestor),
      };
    });
  }

  override getSourcePaths(messages: readonly MessageData[], length: number): Promise<SourcePathData[]> {
    return this.run(async () => {
      toPathLength(length);
      const [begin, end] = [messages[0], messages.at(-1)];
      if (begin === undefined || end === undefined) return [];
      const { chatId } = begin;
      await this.requireChat(chatId);
      const [first, last] = await this.reads.messages([begin, end].map(({ id }) => ({ chatId, id })));
      if (first == null || last == null) throw messageNotFound(begin.id);
      // Messages are saved after their parents.
      const range = { chatId, firstSeq: first.seq, lastSeq: last.seq };
      const [sourcesOf = new Map<string, string[]>()] = await this.reads.sourcesInRanges([range]);
      const pairs = newestMerges(messages, sourcesOf).flatMap(({ messageId, sourceIds }) =>
        sourceIds.map((sourceId) => ({ messageId, sourceId })),
      );
      if (pairs.length === 0) return [];
      const chains = await this.reads.chains(pairs.map(({ sourceId }) => ({ chatId, messageId: sourceId, length })));
      return pairs.map((pair, n) => ({ ...pair, path: (chains[n] ?? []).map(toMessageData) }));
    });
  }

  override getGraph(chatId: string): Promise<GraphData> {
    return this.run(async () => {
      await this.requireChat(chatId);
      const [[nodes = []], [sources = new Map<number, string[]>()], branches, checkpoints] = await Promise.all([
        this.reads.graphs([chatId]),
        this.reads.sourcesOfChats([chatId]),
        this.listBranches(chatId),
        this.listCheckpoints(chatId),
      ]);
      return {
        nodes: nodes.map((node) => toGraphNode(node, sources)),
        branches: branches.map(toBranchInfo),
        checkpoints: checkpoints.map(toCheckpointInfo),
      };
    });
  }

  /** Runs a call, and throws its expected failures as a ContextError. */
  protected run<T>(work: () => Promise<T>): Promise<T> {
    return asContextErrors(async () => {
      if (this.#isClosed()) throw new ContextError('UNAVAILABLE', 'The store is closed');
      return work();
    });
  }

  /** A chat that the viewer may read. */
  protected async findChat(id: string): Promise<Chat | null> {
    const [found] = isPossibleId(id) ? await this.reads.chats([id]) : [];
    return found != null && mayAccess(this.viewer, found.chat) ? found.chat : null;
  }

  protected async requireChat(id: string): Promise<void> {
    if ((await this.findChat(id)) === null) throw chatNotFound(id);
  }

  async #messageAt(chatId: string, { branch, checkpoint, messageId }: PlaceData): Promise<Message | null> {
    const name = branch ?? checkpoint ?? messageId ?? '';
    if (!isPossibleId(name)) return null;
    let id: string | null | undefined = messageId;
    if (branch !== undefined) id = (await this.reads.branchesByName([{ chatId, name }]))[0]?.headMessageId;
    if (checkpoint !== undefined) id = (await this.reads.checkpointsByName([{ chatId, name }]))[0]?.messageId;
    const [message = null] = id == null ? [] : await this.reads.messages([{ chatId, id }]);
    return message;
  }

  /** Resolves an id that a caller gives: null unless the viewer may read its chat. */
  async #message(id: string): Promise<Message | null> {
    const [message] = isPossibleId(id) ? await this.reads.messagesById([id]) : [];
    return message != null && (await this.findChat(message.chatId)) !== null ? message : null;
  }
}
