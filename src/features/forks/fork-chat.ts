/** Copies a path or the whole graph of a chat into a new chat of the viewer. */
import { v7 as newId } from 'uuid';
import { checkName, checkOptionalName, isPossibleId, MAX_FORKED_MESSAGES } from '../../conversation/bounds.js';
import { takenChat } from '../../conversation/chats.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import { mayAccess, onlyChatOf } from '../../conversation/access/ownership.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { CopyOrigin, ForkChatRequest } from '../../conversation/copy-origin.js';
import { DatabaseStore } from '../../database/store/database-store.js';
import { readForkOrigin } from './fork-origin.js';
import { ForkedChat } from './forked-chat.js';
import { writeFork } from './write-fork.js';

/**
 * The messages keep their content, authors and times, and get new ids.
 * @param copyOf returns null when the request names no origin of a feature
 * @throws InvalidInputError, NotFoundError; AlreadyExistsError when the id is taken
 */
export async function forkChat(
  store: ConversationStore,
  viewer: Viewer,
  request: ForkChatRequest,
  copyOf: (request: ForkChatRequest) => CopyOrigin | null = () => null,
): Promise<Chat> {
  if (onlyChatOf(viewer) !== null) {
    throw new InvalidInputError('An access token for one chat cannot create chats', null);
  }
  const copyOrigin = copyOf(request);
  const id = checkOptionalName(request.id, 'id') ?? newId();
  const title = request.title === undefined ? undefined : checkOptionalName(request.title, 'title');
  if (copyOrigin !== null) {
    const copy = await copyOrigin({ id, title });
    if (copy === null) throw await takenChat(store, viewer, id);
    return copy;
  }
  const chatId = checkName(request.chatId ?? '', 'chatId');
  return forkStored(store, viewer, { ...request, chatId, id, title });
}

async function forkStored(
  store: ConversationStore,
  viewer: Viewer,
  { chatId, id, title, ...request }: ForkChatRequest & { chatId: string; id: string },
): Promise<Chat> {
  const isWhole = request.wholeGraph ?? false;
  const messageId = checkOptionalName(request.messageId, 'messageId');
  if (isWhole && messageId !== null) {
    throw new InvalidInputError('messageId cannot be given together with wholeGraph', 'messageId');
  }
  const chat = isPossibleId(chatId) ? await store.chat(chatId) : null;
  if (chat === null || !mayAccess(viewer, chat)) throw NotFoundError.chat(chatId);
  if ((await store.chat(id)) !== null) throw await takenChat(store, viewer, id);

  const origin = await readForkOrigin(DatabaseStore.of(store).connection, chatId, { messageId, isWhole });
  if (origin === null) {
    throw messageId === null
      ? NotFoundError.chat(chatId)
      : new NotFoundError(`Message "${messageId}" not found in chat "${chatId}"`);
  }
  const { head, whole } = origin;
  if (head === null && whole === null) {
    throw new InvalidInputError(`The active branch of chat "${chatId}" has no messages to copy`, 'chatId');
  }
  const now = store.now();
  const fork = new ForkedChat(
    origin,
    {
      id,
      userId: viewer.userId,
      title: title === undefined ? chat.title : title,
      metadata: '{}',
      createdAt: now,
      updatedAt: now,
      usage: whole === null ? (head?.usage ?? null) : origin.chat.usage,
    },
    now,
  );
  if (fork.messageCount > MAX_FORKED_MESSAGES) {
    throw new InvalidInputError(
      `A fork copies at most ${MAX_FORKED_MESSAGES} messages, not ${fork.messageCount}: export the chat and import the file`,
      isWhole ? 'wholeGraph' : 'messageId',
    );
  }
  if (!(await writeFork(DatabaseStore.of(store), fork, viewer))) throw await takenChat(store, viewer, id);
  return fork.chat;
}
