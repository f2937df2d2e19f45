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
import { checkKnown } from './known-fields.js';
import type {
  BranchData,
  ChatData,
  ChatUpdates,
  CheckpointData,
  DeleteChatOptions,
  GraphData,
  ListChatsOptions,
  MessageData,
  NewBranchData,
  NewChatData,
  NewCheckpointData,
  NewMessageData,
  SavedMessages,
  SaveOptions,
  SearchOptions,
  SearchResult,
} from './store-data.js';

/**
 * Where conversations are kept: what the ContextEngine works on, and what an agent may call itself.
 *
 * Each call that writes is one change, all or nothing. Heads move by saving alone, so there is no way to set one: two
 * writers that read a head and set another lose each other's turns.
 *
 * What a store does not know, it refuses by name: an option or a field that is ignored would do something else than was asked.
 *
 * Every method rejects with a ContextError: INVALID_INPUT, NOT_FOUND, ALREADY_EXISTS and HEAD_CONFLICT say that nothing was
 * written, UNAVAILABLE that nobody knows.
 */
export abstract class ContextStore {
  /** A new chat with an empty active branch `main`; ALREADY_EXISTS when there is one with this id. */
  abstract createChat(chat: NewChatData): Promise<ChatData>;
  /** The chat with this id, created if there is none; an existing one stays as it is. */
  abstract upsertChat(chat: NewChatData): Promise<ChatData>;
  abstract getChat(chatId: string): Promise<ChatData | null>;
  abstract updateChat(chatId: string, updates: ChatUpdates): Promise<ChatData>;
  /** Newest update first. */
  abstract listChats(options?: ListChatsOptions): Promise<ChatData[]>;
  /** Removes the chat with all that is in it; false when there was none, or it is not the user's who is named. */
  abstract deleteChat(chatId: string, options?: DeleteChatOptions): Promise<boolean>;

  /**
   * Appends 1 to 500 messages to a branch, each the parent of the next, and moves its head.
   *
   * A message whose id is in the chat already, with other content, is an edit: the new version is saved under a new id
   * beside the original, on a new active branch. With the same content it is a retry, and nothing is written twice.
   */
  abstract saveMessages(
    chatId: string,
    messages: readonly NewMessageData[],
    options?: SaveOptions,
  ): Promise<SavedMessages>;

  /**
   * Saves one message behind its parent, null for a root: at the end of the active branch if that is there, else on a new
   * active branch that begins there. One whose id is in the chat already is an edit or a retry, wherever it is, as for
   * saveMessages.
   */
  async addMessage(message: Omit<MessageData, 'createdAt' | 'type'> & { type?: string }): Promise<MessageData> {
    const known = checkKnown(message, ['chatId', 'parentId', 'id', 'name', 'type', 'data']);
    const { chatId, parentId, id, name, type = 'message', data } = known;
    if (parentId === id) throw invalid(`Message ${id} cannot be its own parent`, 'parentId');
    const { messages } = await this.saveMessages(chatId, [{ id, name, type, content: { data } }], {
      expectedHeadId: parentId,
      onConflict: 'FORK',
    });
    return messages[0] as MessageData;
  }

  abstract getMessage(messageId: string): Promise<MessageData | null>;
  /** The path from the root to a message, root first; NOT_FOUND when there is no such message. */
  abstract getMessageChain(headMessageId: string): Promise<MessageData[]>;
  /** Whether something follows a message; NOT_FOUND when there is no such message. */
  abstract hasChildren(messageId: string): Promise<boolean>;

  /** The path of the active branch, root first; NOT_FOUND when there is no such chat. */
  async getMessages(chatId: string): Promise<MessageData[]> {
    const { headMessageId } = await this.getActiveBranch(chatId);
    return headMessageId === null ? [] : this.getMessageChain(headMessageId);
  }

  /** A new branch at a message, or one without messages. */
  abstract createBranch(branch: NewBranchData): Promise<BranchData>;
  /** null when the chat has no branch of this name, or is not there. */
  abstract getBranch(chatId: string, name: string): Promise<BranchData | null>;
  /** NOT_FOUND when there is no such chat: each has exactly one. */
  abstract getActiveBranch(chatId: string): Promise<BranchData>;
  /** Makes the branch of this name the active one. */
  abstract setActiveBranch(chatId: string, name: string): Promise<BranchData>;
  /** Another name for a branch; its messages and its place in lists stay. */
  abstract renameBranch(chatId: string, name: string, newName: string): Promise<BranchData>;
  /** Removes the name of a branch that is not active, and no message; false when there was none. */
  abstract deleteBranch(chatId: string, name: string): Promise<boolean>;
  /** Oldest first. */
  abstract listBranches(chatId: string): Promise<BranchData[]>;

  /** Names a message; a checkpoint of this name is moved. */
  abstract createCheckpoint(checkpoint: NewCheckpointData): Promise<CheckpointData>;
  abstract getCheckpoint(chatId: string, name: string): Promise<CheckpointData | null>;
  /** Newest first. */
  abstract listCheckpoints(chatId: string): Promise<CheckpointData[]>;
  /** Removes the bookmark, not the message; false when there was none. */
  abstract deleteCheckpoint(chatId: string, name: string): Promise<boolean>;

  /** What a full-text search finds on any branch of a chat, best first. */
  abstract searchMessages(chatId: string, query: string, options?: SearchOptions): Promise<SearchResult[]>;
  /** The whole graph of a chat, for drawing. */
  abstract getGraph(chatId: string): Promise<GraphData>;

  /** Begins a message that is written while others watch. The same again is a retry, and answers the draft as it is. */
  abstract startDraft(chatId: string, draft?: NewDraftData): Promise<DraftData>;
  /**
   * Saves a message, starts the draft of its answer, and reads the path to it: one request, where the store has requests.
   * @returns `draft` is null when the message became another version of an edited one, or when the draft was refused
   */
  async saveAndStartDraft(chatId: string, { userId, message, place, draft }: NewAnswerData): Promise<StartedAnswer> {
    if (userId !== undefined) await this.upsertChat({ id: chatId, userId });
    const saved = await this.saveMessages(chatId, [message], { ...place, onConflict: 'FORK' });
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
   * Adds the chunks that the draft does not have: 0 to 500, any JSON but null, at most 256 KiB together. Without chunks it renews
   * `updatedAt` only, as a sign of the writer.
   * @param offset how many chunks the writer has sent before; DraftOffsetError when the draft has fewer
   */
  abstract appendToDraft(
    chatId: string,
    id: string,
    offset: number,
    chunks: readonly unknown[],
  ): Promise<DraftStanding>;
  /**
   * Saves the message that a draft has become, and removes the draft, in one change. Of one that is finished already, the
   * same content is a retry.
   * @param content by default the text of its chunks
   */
  abstract finishDraft(chatId: string, id: string, content?: NewMessageData['content']): Promise<SavedMessages>;
  /** Asks whoever writes a draft to stop: they hear of it with their next append, or by following it. */
  abstract stopDraft(chatId: string, id: string): Promise<DraftStanding>;
  /** Removes a draft, and saves nothing of it; false when there was none. */
  abstract discardDraft(chatId: string, id: string): Promise<boolean>;
  /** Those that are being written, or were left, in the order in which they were begun. */
  abstract listDrafts(chatId: string): Promise<DraftData[]>;
  /**
   * A draft as it grows: its chunks first, then what comes, each once and in order, until it is finished or discarded. Of one
   * that was finished before, and of any other message, that is told. It goes on over broken connections.
   */
  abstract followDraft(chatId: string, id: string, options?: FollowDraftOptions): AsyncIterable<DraftUpdate>;

  /** Frees what the store holds. */
  async close(): Promise<void> {}
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
