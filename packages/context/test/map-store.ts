/** A store of the 23 methods that a store of @deepagents/context has: on maps, without saveMessages and drafts. */
import {
  ContextStore,
  type BranchData,
  type ChatData,
  type ChatUpdates,
  type CheckpointData,
  type GraphData,
  type MessageData,
  type NewBranchData,
  type NewChatData,
  type NewCheckpointData,
  type SearchResult,
} from '@parley/context';

export class MapStore extends ContextStore {
  readonly #chats = new Map<string, ChatData>();
  readonly #messages = new Map<string, MessageData>();
  readonly #branches: BranchData[] = [];
  #checkpoints: CheckpointData[] = [];

  override async createChat({ id, userId, title, metadata = {} }: NewChatData): Promise<ChatData> {
    if (this.#chats.has(id)) throw new Error(`Chat "${id}" already exists`);
    const chat = { id, userId, title: title ?? null, metadata, createdAt: Date.now(), updatedAt: Date.now() };
    this.#chats.set(id, chat);
    return chat;
  }
  override async upsertChat(chat: NewChatData): Promise<ChatData> {
    return this.#chats.get(chat.id) ?? this.createChat(chat);
  }
  override async getChat(chatId: string): Promise<ChatData | null> {
    return this.#chats.get(chatId) ?? null;
  }
  override async updateChat(chatId: string, { title, metadata, metadataPatch }: ChatUpdates): Promise<ChatData> {
    const chat = this.#chats.get(chatId);
    if (chat === undefined) throw new Error(`Chat "${chatId}" not found`);
    if (title !== undefined) chat.title = title;
    chat.metadata = { ...(metadata ?? chat.metadata), ...metadataPatch };
    return chat;
  }
  override async listChats(): Promise<ChatData[]> {
    return [...this.#chats.values()];
  }
  override async deleteChat(chatId: string): Promise<boolean> {
    return this.#chats.delete(chatId);
  }

  override async addMessage(message: MessageData): Promise<MessageData> {
    if (message.parentId === message.id) throw new Error(`Message ${message.id} cannot be its own parent`);
    this.#messages.set(message.id, message);
    return message;
  }
  override async getMessage(messageId: string): Promise<MessageData | null> {
    return this.#messages.get(messageId) ?? null;
  }
  override async getMessageChain(headMessageId: string): Promise<MessageData[]> {
    const chain: MessageData[] = [];
    let message = this.#messages.get(headMessageId);
    for (; message !== undefined; message = this.#messages.get(message.parentId ?? '')) chain.unshift(message);
    return chain;
  }
  override async hasChildren(messageId: string): Promise<boolean> {
    return [...this.#messages.values()].some(({ parentId }) => parentId === messageId);
  }
  override async getMessages(chatId: string): Promise<MessageData[]> {
    return [...this.#messages.values()].filter((message) => message.chatId === chatId);
  }

  override async createBranch({ chatId, headMessageId, name, isActive }: NewBranchData): Promise<BranchData> {
    const branches = this.#of(chatId);
    const base = branches.find((branch) => branch.isActive)?.name ?? 'main';
    const count = branches.filter((branch) => branch.name.startsWith(base)).length;
    const id = crypto.randomUUID();
    const given = { id, chatId, name: name ?? `${base}-v${count + 1}`, headMessageId, isActive: false };
    this.#branches.push({ ...given, messageCount: 0, createdAt: Date.now() });
    return isActive ? this.setActiveBranch(chatId, id) : this.#counted(given.name, chatId);
  }
  override async getBranch(chatId: string, name: string): Promise<BranchData | null> {
    return this.#of(chatId).some((branch) => branch.name === name) ? this.#counted(name, chatId) : null;
  }
  override async getActiveBranch(chatId: string): Promise<BranchData> {
    // As in the original: a new chat has no branch.
    return this.#of(chatId).find((branch) => branch.isActive) as BranchData;
  }
  override async setActiveBranch(chatId: string, nameOrId: string): Promise<BranchData> {
    const active = this.#of(chatId).find(({ id, name }) => id === nameOrId || name === nameOrId);
    if (active === undefined) throw new Error(`Branch "${nameOrId}" not found in chat "${chatId}"`);
    for (const branch of this.#of(chatId)) branch.isActive = branch === active;
    return this.#counted(active.name, chatId);
  }
  override async updateBranchHead(branchId: string, messageId: string): Promise<void> {
    const branch = this.#branches.find(({ id }) => id === branchId);
    if (branch !== undefined) branch.headMessageId = messageId;
  }
  override async listBranches(chatId: string): Promise<BranchData[]> {
    return this.#of(chatId);
  }

  override async createCheckpoint({ chatId, name, messageId }: NewCheckpointData): Promise<CheckpointData> {
    const checkpoint = { id: crypto.randomUUID(), chatId, name, messageId, createdAt: Date.now() };
    await this.deleteCheckpoint(chatId, name);
    this.#checkpoints.push(checkpoint);
    return checkpoint;
  }
  override async getCheckpoint(chatId: string, name: string): Promise<CheckpointData | null> {
    return this.#checkpoints.find((each) => each.chatId === chatId && each.name === name) ?? null;
  }
  override async listCheckpoints(chatId: string): Promise<CheckpointData[]> {
    return this.#checkpoints.filter((each) => each.chatId === chatId);
  }
  override async deleteCheckpoint(chatId: string, name: string): Promise<boolean> {
    const before = this.#checkpoints.length;
    this.#checkpoints = this.#checkpoints.filter((each) => each.chatId !== chatId || each.name !== name);
    return this.#checkpoints.length < before;
  }

  override async searchMessages(): Promise<SearchResult[]> {
    return [];
  }
  override async getGraph(): Promise<GraphData> {
    return { nodes: [], branches: [], checkpoints: [] };
  }

  #of(chatId: string): BranchData[] {
    return this.#branches.filter((branch) => branch.chatId === chatId);
  }

  async #counted(name: string, chatId: string): Promise<BranchData> {
    const branch = this.#of(chatId).find((each) => each.name === name) as BranchData;
    const { headMessageId } = branch;
    const messageCount = headMessageId === null ? 0 : (await this.getMessageChain(headMessageId)).length;
    return { ...branch, messageCount };
  }
}
