import { ContextError, invalid } from '../errors.js';
import type {
  DraftData,
  DraftStanding,
  DraftUpdate,
  FollowDraftOptions,
  NewAnswerData,
  NewDraftData,
  StartedAnswer,
} from './draft-data.js';
import type { FileData, FileOfMessage, ReadFileOptions } from '../file-data.js';
import { checkKnown } from './known-fields.js';
import type {
  BranchData,
  ChatData,
  ChatUpdates,
  CheckpointData,
  ComparisonData,
  DeleteChatOptions,
  GraphData,
  ListChatsOptions,
  MessageData,
  NewBranchData,
  NewChatData,
  NewCheckpointData,
  NewMessageData,
  PlaceData,
  SavedMessages,
  SaveOptions,
  SearchChatsOptions,
  SearchOptions,
  SearchResult,
  SourcePathData,
} from './store-data.js';

/**
 * The conversations that a ContextEngine works on. Each writing call is one change, all or nothing. Unknown options and fields are
 * refused by name.
 *
 * Every method rejects with a ContextError: INVALID_INPUT, NOT_FOUND, ALREADY_EXISTS, HEAD_CONFLICT and NOT_SUPPORTED mean that
 * nothing was written; after UNAVAILABLE the result is unknown.
 *
 * A store of your own must implement the abstract methods, and either `saveMessages` or `addMessage` and `updateBranchHead`. The
 * other methods are optional: they reject with NOT_SUPPORTED.
 */
export abstract class ContextStore {
  /**
   * Creates a chat with an empty active branch `main`.
   * @throws ContextError ALREADY_EXISTS for a taken id
   */
  abstract createChat(chat: NewChatData): Promise<ChatData>;
  /** The chat with this id, created if missing; an existing one does not change. */
  abstract upsertChat(chat: NewChatData): Promise<ChatData>;
  abstract getChat(chatId: string): Promise<ChatData | null>;
  abstract updateChat(chatId: string, updates: ChatUpdates): Promise<ChatData>;
  /** Newest update first. */
  abstract listChats(options?: ListChatsOptions): Promise<ChatData[]>;
  /**
   * Deletes a chat and its contents at once: its id is free, and it cannot be restored.
   * @returns false for a missing chat, or one of another user than the named one
   */
  abstract deleteChat(chatId: string, options?: DeleteChatOptions): Promise<boolean>;

  /**
   * Appends 1 to 500 messages to a branch, each the parent of the next, and moves its head. A message with an existing
   * id of the chat and other content is an edit: the new version is saved with a new id as a sibling, on a new
   * active branch. With the same content it is a retry, and not written again.
   */
  async saveMessages(
    _chatId: string,
    _messages: readonly NewMessageData[],
    _options?: SaveOptions,
  ): Promise<SavedMessages> {
    throw notSupported('saveMessages');
  }

  /**
   * Saves one message after its parent, null for a root: at the end of the active branch if the parent is its head,
   * else on a new active branch. An existing id of the chat makes it an edit or a retry, as in saveMessages.
   */
  async addMessage(
    message: Pick<MessageData, 'chatId' | 'parentId' | 'id' | 'name' | 'data'> & { type?: string },
  ): Promise<MessageData> {
    const known = checkKnown(message, ['chatId', 'parentId', 'id', 'name', 'type', 'data']);
    const { chatId, parentId, id, name, type = 'message', data } = known;
    if (data == null) throw invalid('data must be given, and not null', 'data');
    if (parentId === id) throw invalid(`Message ${id} cannot be its own parent`, 'parentId');
    const { messages } = await this.saveMessages(chatId, [{ id, name, type, content: { data } }], {
      expectedHeadId: parentId,
      onConflict: 'FORK',
    });
    return messages[0] as MessageData;
  }

  abstract getMessage(messageId: string): Promise<MessageData | null>;
  /**
   * The path to a message, root first.
   * @throws ContextError NOT_FOUND for a missing message
   */
  abstract getMessageChain(headMessageId: string): Promise<MessageData[]>;
  /**
   * Whether a message has children.
   * @throws ContextError NOT_FOUND for a missing message
   */
  abstract hasChildren(messageId: string): Promise<boolean>;

  /**
   * The path of the active branch, root first.
   * @throws ContextError NOT_FOUND for a missing chat
   */
  async getMessages(chatId: string): Promise<MessageData[]> {
    const { headMessageId } = await this.getActiveBranch(chatId);
    return headMessageId === null ? [] : this.getMessageChain(headMessageId);
  }

  /** Creates a branch at a message, or one without messages. */
  abstract createBranch(branch: NewBranchData): Promise<BranchData>;
  /** null when the chat has no branch of this name, or is missing. */
  abstract getBranch(chatId: string, name: string): Promise<BranchData | null>;
  /**
   * Each chat has exactly one.
   * @throws ContextError NOT_FOUND for a missing chat
   */
  abstract getActiveBranch(chatId: string): Promise<BranchData>;
  /** Activates a branch, by its name or its id; a name takes precedence. */
  abstract setActiveBranch(chatId: string, branch: string): Promise<BranchData>;
  /**
   * Moves the head of a branch. Only an engine on a store without `saveMessages` calls it, and only such a store implements it: two
   * writers that read a head and set another lose each other's turns.
   */
  async updateBranchHead(_branchId: string, _messageId: string): Promise<unknown> {
    throw notSupported('updateBranchHead');
  }
  /** Renames a branch; its messages and its position in lists stay. */
  async renameBranch(_chatId: string, _name: string, _newName: string): Promise<BranchData> {
    throw notSupported('renameBranch');
  }
  /**
   * Removes an inactive branch, but no message.
   * @returns false for a missing branch
   */
  async deleteBranch(_chatId: string, _name: string): Promise<boolean> {
    throw notSupported('deleteBranch');
  }
  /** Oldest first. */
  abstract listBranches(chatId: string): Promise<BranchData[]>;

  /** Names a message; a checkpoint of this name is moved. */
  abstract createCheckpoint(checkpoint: NewCheckpointData): Promise<CheckpointData>;
  abstract getCheckpoint(chatId: string, name: string): Promise<CheckpointData | null>;
  /** Newest first. */
  abstract listCheckpoints(chatId: string): Promise<CheckpointData[]>;
  /**
   * Removes a checkpoint, not its message.
   * @returns false for a missing checkpoint
   */
  abstract deleteCheckpoint(chatId: string, name: string): Promise<boolean>;

  /** Hits of a full-text search on any branch of a chat, best first. */
  abstract searchMessages(chatId: string, query: string, options?: SearchOptions): Promise<SearchResult[]>;
  /** Hits of a full-text search in all chats of a user, best first. */
  async searchChats(_userId: string, _query: string, _options?: SearchChatsOptions): Promise<SearchResult[]> {
    throw notSupported('searchChats');
  }
  /**
   * Compares the paths to two messages. The cost does not grow with their lengths.
   * @returns null if a place is missing, or its branch is empty
   * @throws ContextError NOT_FOUND for a missing chat
   */
  async compare(_chatId: string, _base: PlaceData, _head: PlaceData): Promise<ComparisonData | null> {
    throw notSupported('compare');
  }
  /**
   * The paths to the sources of messages, of the newest messages that have any: up to 32 sources.
   * @param messages messages of one path, root first
   * @param length the newest messages to read of each path to a source: 1 to 100
   */
  async getSourcePaths(_messages: readonly MessageData[], _length: number): Promise<SourcePathData[]> {
    throw notSupported('getSourcePaths');
  }
  /** The whole graph of a chat, for drawing. */
  abstract getGraph(chatId: string): Promise<GraphData>;

  /**
   * Starts a message that subscribers see while it grows. A repeated call is a retry, and returns the existing draft.
   */
  async startDraft(_chatId: string, _draft?: NewDraftData): Promise<DraftData> {
    throw notSupported('startDraft');
  }
  /**
   * Saves a message, starts the draft of its answer, and reads the path to it; in one request where the store sends
   * requests.
   * @returns `draft` is null when the message became another version of an edited one, or when the draft was refused
   */
  async saveAndStartDraft(chatId: string, { message, place, draft }: NewAnswerData): Promise<StartedAnswer> {
    const saved = await this.saveMessages(chatId, [message], { onConflict: 'FORK', ...place });
    if (saved.messages[0]?.id !== message.id) return { saved, draft: null, path: [] };
    try {
      const started = await this.startDraft(chatId, { ...draft, parentId: message.id });
      return { saved, draft: started, path: await this.getMessageChain(message.id) };
    } catch (error) {
      if (error instanceof ContextError && error.code !== 'UNAVAILABLE') return { saved, draft: null, path: [] };
      throw error;
    }
  }
  /**
   * Appends those of the chunks that the draft lacks: 0 to 500, any JSON but null, at most 256 KiB together. Without
   * chunks it renews `updatedAt` only, as a sign of the writer.
   * @param offset how many chunks the writer has sent before
   * @throws DraftOffsetError when the draft has fewer
   */
  async appendToDraft(
    _chatId: string,
    _id: string,
    _offset: number,
    _chunks: readonly unknown[],
  ): Promise<DraftStanding> {
    throw notSupported('appendToDraft');
  }
  /**
   * Saves a draft as a message, and removes the draft, in one change. The same content for a finished draft is a retry.
   * @param content by default the text of its chunks
   */
  async finishDraft(_chatId: string, _id: string, _content?: NewMessageData['content']): Promise<SavedMessages> {
    throw notSupported('finishDraft');
  }
  /** Requests the writer of a draft to stop; its next append, or following the draft, reports it. */
  async stopDraft(_chatId: string, _id: string): Promise<DraftStanding> {
    throw notSupported('stopDraft');
  }
  /**
   * Removes a draft without saving it.
   * @returns false for a missing draft
   */
  async discardDraft(_chatId: string, _id: string): Promise<boolean> {
    throw notSupported('discardDraft');
  }
  /** Open and abandoned drafts, in the order in which they were started. */
  async listDrafts(_chatId: string): Promise<DraftData[]> {
    throw notSupported('listDrafts');
  }
  /**
   * A growing draft: its chunks so far, then further updates, each once and in order, until it is finished or
   * discarded. An ended draft, like any other message, yields `finished` alone. Following continues over broken
   * connections.
   */
  followDraft(_chatId: string, _id: string, _options?: FollowDraftOptions): AsyncIterable<DraftUpdate> {
    throw notSupported('followDraft');
  }

  /**
   * The content of a file, by a message that contains it.
   * @returns null for a file that the message does not contain, or that the user may not read
   */
  async readFile(_file: FileOfMessage, _options?: ReadFileOptions): Promise<FileData | null> {
    throw notSupported('readFile');
  }
  /**
   * URLs of files that need no token, valid for one to two hours. Only a server has URLs.
   * @returns in the order of `files`; null for a file that the user may not read
   */
  async signFiles(_files: readonly FileOfMessage[]): Promise<(string | null)[]> {
    throw notSupported('signFiles');
  }

  /** Releases the resources of the store. */
  async close(): Promise<void> {}
}

function notSupported(method: string): ContextError {
  return new ContextError('NOT_SUPPORTED', `The store does not support ${method}`);
}

export function chatNotFound(chatId: string): ContextError {
  return new ContextError('NOT_FOUND', `Chat "${chatId}" not found`);
}

export function messageNotFound(messageId: string): ContextError {
  return new ContextError('NOT_FOUND', `Message "${messageId}" not found`);
}

export function branchNotFound(name: string, chatId: string): ContextError {
  return new ContextError('NOT_FOUND', `Branch "${name}" not found in chat "${chatId}"`);
}

export function checkpointNotFound(name: string, chatId: string): ContextError {
  return new ContextError('NOT_FOUND', `Checkpoint "${name}" not found in chat "${chatId}"`);
}

export function draftNotFound(id: string, chatId: string): ContextError {
  return new ContextError('NOT_FOUND', `Draft "${id}" not found in chat "${chatId}"`);
}
