/**
 * A store of the 23 methods of @deepagents/context, written from its documents: it keeps the rows that it is given, and most methods
 * return nothing.
 */
import {
  ContextStore,
  type BranchData,
  type ChatData,
  type CheckpointData,
  type GraphData,
  type MessageData,
  type SearchResult,
} from '@parley/context';

type Table = 'chats' | 'messages' | 'branches' | 'checkpoints';

/** Where a store keeps its rows, by key. */
export interface Rows {
  all(table: Table): Promise<object[]>;
  put(table: Table, key: string, row: object): Promise<unknown>;
  remove(table: Table, key: string): Promise<boolean>;
}

export function mapRows(): Rows {
  const tables = new Map<Table, Map<string, string>>();
  const of = (table: Table) => tables.get(table) ?? tables.set(table, new Map()).get(table)!;
  return {
    all: async (table) => [...of(table).values()].map((row) => JSON.parse(row) as object),
    put: async (table, key, row) => of(table).set(key, JSON.stringify(row)),
    remove: async (table, key) => of(table).delete(key),
  };
}

export class DocumentedStore extends ContextStore {
  constructor(private readonly rows: Rows) {
    super();
  }

  override async createChat(chat: { id: string; userId: string; title?: string }): Promise<ChatData> {
    if ((await this.getChat(chat.id)) !== null) throw new Error(`Chat "${chat.id}" already exists`);
    const now = Date.now();
    const row = { title: null, metadata: {}, ...chat, createdAt: now, updatedAt: now };
    await this.rows.put('chats', chat.id, row);
    return row;
  }
  override async upsertChat(chat: { id: string; userId: string }): Promise<ChatData> {
    return (await this.getChat(chat.id)) ?? this.createChat(chat);
  }
  override async getChat(chatId: string): Promise<ChatData | null> {
    return ((await this.rows.all('chats')) as ChatData[]).find(({ id }) => id === chatId) ?? null;
  }
  // @ts-expect-error Nothing is returned.
  override async updateChat(chatId: string, updates: { title?: string; metadata?: Record<string, unknown> }) {
    await this.rows.put('chats', chatId, { ...(await this.getChat(chatId)), ...updates, updatedAt: Date.now() });
  }
  override async listChats(): Promise<ChatData[]> {
    return (await this.rows.all('chats')) as ChatData[];
  }
  override async deleteChat(chatId: string): Promise<boolean> {
    return this.rows.remove('chats', chatId);
  }

  // @ts-expect-error Nothing is returned.
  override async addMessage(message: MessageData) {
    if (message.parentId === message.id) throw new Error(`Message ${message.id} cannot be its own parent`);
    await this.rows.put('messages', message.id, message);
  }
  // @ts-expect-error A missing message is undefined.
  override async getMessage(messageId: string): Promise<MessageData | undefined> {
    return ((await this.rows.all('messages')) as MessageData[]).find(({ id }) => id === messageId);
  }
  override async getMessageChain(headMessageId: string): Promise<MessageData[]> {
    const byId = new Map(((await this.rows.all('messages')) as MessageData[]).map((row) => [row.id, row]));
    const chain: MessageData[] = [];
    let message = byId.get(headMessageId);
    for (; message !== undefined; message = byId.get(message.parentId ?? '')) chain.unshift(message);
    return chain;
  }
  override async hasChildren(messageId: string): Promise<boolean> {
    return ((await this.rows.all('messages')) as MessageData[]).some(({ parentId }) => parentId === messageId);
  }
  override async getMessages(chatId: string): Promise<MessageData[]> {
    return ((await this.rows.all('messages')) as MessageData[]).filter((message) => message.chatId === chatId);
  }

  // @ts-expect-error Nothing is returned.
  override async createBranch(branch: BranchData) {
    await this.rows.put('branches', branch.id, branch);
  }
  override async getBranch(chatId: string, name: string): Promise<BranchData | null> {
    return (await this.listBranches(chatId)).find((branch) => branch.name === name) ?? null;
  }
  // @ts-expect-error A new chat has no branch.
  override async getActiveBranch(chatId: string): Promise<BranchData | null> {
    return (await this.listBranches(chatId)).find(({ isActive }) => isActive) ?? null;
  }
  // @ts-expect-error Nothing is returned.
  override async setActiveBranch(chatId: string, branchId: string) {
    for (const branch of await this.listBranches(chatId)) {
      await this.rows.put('branches', branch.id, { ...branch, isActive: branch.id === branchId });
    }
  }
  override async updateBranchHead(branchId: string, messageId: string): Promise<void> {
    const branch = (await this.rows.all('branches')).find((row) => (row as BranchData).id === branchId);
    await this.rows.put('branches', branchId, { ...branch, headMessageId: messageId });
  }
  override async listBranches(chatId: string): Promise<BranchData[]> {
    const branches = (await this.rows.all('branches')) as BranchData[];
    return branches.filter((branch) => branch.chatId === chatId).sort((a, b) => a.createdAt - b.createdAt);
  }

  // @ts-expect-error Nothing is returned.
  override async createCheckpoint(checkpoint: CheckpointData) {
    await this.rows.put('checkpoints', `${checkpoint.chatId} ${checkpoint.name}`, checkpoint);
  }
  override async getCheckpoint(chatId: string, name: string): Promise<CheckpointData | null> {
    return (await this.listCheckpoints(chatId)).find((checkpoint) => checkpoint.name === name) ?? null;
  }
  override async listCheckpoints(chatId: string): Promise<CheckpointData[]> {
    return ((await this.rows.all('checkpoints')) as CheckpointData[]).filter((each) => each.chatId === chatId);
  }
  override async deleteCheckpoint(chatId: string, name: string): Promise<boolean> {
    return this.rows.remove('checkpoints', `${chatId} ${name}`);
  }

  override async searchMessages(): Promise<SearchResult[]> {
    return [];
  }
  override async getGraph(): Promise<GraphData> {
    return { nodes: [], branches: [], checkpoints: [] };
  }
}
