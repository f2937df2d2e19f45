import { isRecord } from '../record.js';
import { branchNotFound, chatNotFound, ContextStore, messageNotFound } from './context-store.js';
import { saveOneByOne } from './single-saves.js';
import type { BranchData, CheckpointData, MessageData } from './store-data.js';

/**
 * Adds the rules of the included stores to a store without `saveMessages`, which keeps rows: ids, names and times are assigned, and
 * rows are checked to be of the chat. Any other store is returned unchanged.
 */
export function withRules(store: ContextStore): ContextStore {
  const { saveMessages, addMessage } = ContextStore.prototype;
  if (store.saveMessages !== saveMessages) return store;
  const rules = rulesOf(store);
  const complete: ContextStore = new Proxy(store, {
    get: (rows, name) => {
      if (name === 'saveMessages' && rows.addMessage !== addMessage) return saveOneByOne.bind(null, complete);
      const member: unknown = Reflect.get(Object.hasOwn(rules, name) ? rules : rows, name);
      // The methods of a class with private members need the store itself.
      return typeof member === 'function' ? (member.bind(rows) as unknown) : member;
    },
  });
  return complete;
}

/** The calls that pass whole rows to the store. Its methods may return nothing, and undefined for a missing row. */
function rulesOf(rows: ContextStore) {
  const requireMessage = async (id: string, chatId: string): Promise<void> => {
    const found = (await rows.getMessage(id)) as MessageData | null | undefined;
    if (found?.chatId !== chatId) throw messageNotFound(id);
  };
  return {
    async createBranch({ chatId, headMessageId, name, isActive }) {
      if (headMessageId !== null) await requireMessage(headMessageId, chatId);
      const row = {
        id: crypto.randomUUID(),
        chatId,
        name: name ?? newName(await rows.listBranches(chatId)),
        headMessageId,
        isActive: false,
        createdAt: Date.now(),
      };
      await rows.createBranch(row);
      // A store can assign ids itself.
      const created = (await rows.getBranch(chatId, row.name)) ?? row;
      if (isActive) await rows.setActiveBranch(chatId, created.id);
      return { ...created, isActive };
    },
    async setActiveBranch(chatId, nameOrId) {
      const branches = await rows.listBranches(chatId);
      const branch = branches.find(({ name }) => name === nameOrId) ?? branches.find(({ id }) => id === nameOrId);
      if (branch === undefined) throw branchNotFound(nameOrId, chatId);
      await rows.setActiveBranch(chatId, branch.id);
      return { ...branch, isActive: true };
    },
    async createCheckpoint({ chatId, name, messageId }) {
      await requireMessage(messageId, chatId);
      const moved = (await rows.getCheckpoint(chatId, name)) as CheckpointData | null | undefined;
      const row = { id: moved?.id ?? crypto.randomUUID(), chatId, name, messageId, createdAt: Date.now() };
      await rows.createCheckpoint(row);
      return (await rows.getCheckpoint(chatId, name)) ?? row;
    },
    async updateChat(chatId, { metadataPatch, ...updates }) {
      const chat = await rows.getChat(chatId);
      if (chat == null) throw chatNotFound(chatId);
      const metadata = metadataPatch && (patched(chat.metadata, metadataPatch) as Record<string, unknown>);
      await rows.updateChat(chatId, { ...updates, ...(metadata && { metadata }) });
      return (await rows.getChat(chatId)) ?? chat;
    },
  } satisfies Partial<ContextStore>;
}

/** A free name after the active branch: main-v2, main-v3. */
function newName(branches: readonly BranchData[]): string {
  const base = branches.find(({ isActive }) => isActive)?.name ?? 'main';
  const names = new Set(branches.map(({ name }) => name));
  let version = branches.filter(({ name }) => name === base || name.startsWith(`${base}-v`)).length + 1;
  while (names.has(`${base}-v${version}`)) version++;
  return `${base}-v${version}`;
}

/** JSON Merge Patch (RFC 7396). */
function patched(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const members = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, patched(members.get(key), value));
  }
  return Object.fromEntries(members);
}
