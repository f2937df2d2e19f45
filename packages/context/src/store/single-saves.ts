import { MAX_MESSAGES_PER_SAVE } from '@parley/transport/server-limits';
import { ContextError, invalid } from '../errors.js';
import { canonicalJson } from '../messages/json-value.js';
import { textMessage } from '../messages/ui-message.js';
import { branchNotFound, type ContextStore } from './context-store.js';
import type { BranchData, MessageData, NewMessageData, SavedMessages, SaveOptions } from './store-data.js';
import { toSaveOptions, toStoredMessages } from './stored-json.js';

/**
 * `saveMessages` on stores without it: one `addMessage` and `updateBranchHead` after the other. A failure leaves the messages before
 * it, and concurrent saves can leave a message without a branch.
 */
export async function saveOneByOne(
  store: ContextStore,
  chatId: string,
  messages: readonly NewMessageData[],
  options: SaveOptions = {},
): Promise<SavedMessages> {
  const wanted = toStoredMessages(messages);
  if (wanted.length === 0 || wanted.length > MAX_MESSAGES_PER_SAVE) {
    const range = `1 to ${MAX_MESSAGES_PER_SAVE} elements`;
    throw invalid(`messages must have ${range}, not ${wanted.length}`, 'messages');
  }
  const { branch: name, expectedHeadId, onConflict = 'REJECT', createChat } = toSaveOptions(options);
  if (createChat !== undefined) await store.upsertChat({ id: chatId, ...createChat });
  const target = name === undefined ? await store.getActiveBranch(chatId) : await store.getBranch(chatId, name);
  if (target == null) throw branchNotFound(name ?? 'main', chatId);
  const save = new SingleSaves(store, target);
  if (expectedHeadId !== undefined && expectedHeadId !== target.headMessageId && onConflict !== 'APPEND') {
    if (onConflict === 'REJECT') {
      throw new ContextError('HEAD_CONFLICT', `The head of branch "${target.name}" is not ${String(expectedHeadId)}`);
    }
    await save.fork(expectedHeadId);
  }
  for (const message of wanted) await save.add(message);
  return save.finish();
}

class SingleSaves {
  readonly #messages: MessageData[] = [];
  /** All messages of one save have the same time. */
  readonly #now = Date.now();
  #branched = false;

  constructor(
    private readonly store: ContextStore,
    private branch: BranchData,
  ) {}

  async fork(headMessageId: string | null): Promise<void> {
    this.branch = await this.store.createBranch({ chatId: this.branch.chatId, headMessageId, isActive: true });
    this.#branched = true;
  }

  async add({ id: chosen, lazyId, type = 'message', content, ...fields }: NewMessageData): Promise<void> {
    const { store, branch } = this;
    const id = (lazyId === undefined ? chosen : await this.#lastAssistantId()) ?? crypto.randomUUID();
    const row = (rowId: string) => {
      const data = 'text' in content ? textMessage(rowId, fields.name, content.text) : content.data;
      return { ...fields, type, id: rowId, chatId: branch.chatId, data, createdAt: this.#now };
    };
    // Stores of other libraries return undefined for a missing message.
    const existing = (await store.getMessage(id)) ?? null;
    if (existing === null) return this.#append(row(id));
    if (existing.chatId !== branch.chatId) throw new ContextError('ALREADY_EXISTS', `Message "${id}" already exists`);
    if (canonicalJson({ ...existing, ...row(id), createdAt: existing.createdAt }) === canonicalJson(existing)) {
      this.#messages.push(existing);
      return;
    }
    await this.fork(existing.parentId);
    await this.#append(row(crypto.randomUUID()));
  }

  async finish(): Promise<SavedMessages> {
    const { chatId, name } = this.branch;
    const branch = (await this.store.getBranch(chatId, name)) ?? this.branch;
    return { branch, messages: this.#messages, branched: this.#branched };
  }

  async #append(row: Omit<MessageData, 'parentId'>): Promise<void> {
    const message = { ...row, parentId: this.branch.headMessageId };
    await this.store.addMessage(message);
    await this.store.updateBranchHead(this.branch.id, message.id);
    this.branch = { ...this.branch, headMessageId: message.id };
    this.#messages.push(message);
  }

  async #lastAssistantId(): Promise<string | undefined> {
    const isAssistant = ({ name }: MessageData) => name === 'assistant';
    const ofSave = this.#messages.findLast(isAssistant);
    const { headMessageId } = this.branch;
    if (ofSave !== undefined || headMessageId === null) return ofSave?.id;
    return (await this.store.getMessageChain(headMessageId)).findLast(isAssistant)?.id;
  }
}
