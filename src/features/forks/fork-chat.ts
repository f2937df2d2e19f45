/** Copies a path or the whole graph of a chat into a new chat of the viewer. */
import { v7 as newId } from 'uuid';
import { checkName, checkOptionalName, isPossibleId, MAX_FORKED_MESSAGES } from '../../conversation/bounds.js';
import { takenChat } from '../../conversation/chats.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import type { Chat, Viewer, SourceMessage } from '../../conversation/model.js';
import { mayAccess, onlyChatOf } from '../../conversation/access/ownership.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { CopyOrigin, ForkChatRequest } from '../../conversation/copy-origin.js';
import { DatabaseStore } from '../../database/store/database-store.js';
import { ForkedChat, type ForkOrigin } from './forked-chat.js';
import { writeFork } from './write-fork.js';
import { forkStatements } from './statements.js';
import { GraphRuns } from './graph-runs.js';
import type { Row } from '../../conversation/tables.js';
import { readState } from '../../database/whole-chats/chat-state.js';
import type { SeqPosition } from '../../database/dialects/base/fragments.js';
import type { Connection } from '../../database/connection/connection.js';
import { toChat } from '../../database/reading/rows.js';
import { fillDigests } from '../../database/writing/fill-digests.js';

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

/** SQL Server takes 2,100 parameters. */
const IDS_PER_READ = 1_000;

interface OriginRequest {
  /** The last message of the path; null for the head of the active branch. */
  readonly messageId: string | null;
  readonly isWhole: boolean;
}

/**
 * Reads a chat to fork. Messages are immutable: their seqs fix what is copied while the chat changes.
 * @returns null when the chat or the message is missing
 */
async function readForkOrigin(
  connection: Connection,
  chatId: string,
  { messageId, isWhole }: OriginRequest,
): Promise<ForkOrigin | null> {
  const { sql, read } = connection;
  const forks = forkStatements(sql.differences);
  await requireDigests(connection, chatId);
  const whole = isWhole ? await readWhole(connection, chatId) : null;
  if (isWhole && whole === null) return null;
  const [[row], [head]] = await read(async (db) => [
    await db.rows<Chat>(sql.chatsById([chatId])),
    await db.rows<NonNullable<ForkOrigin['head']>>(forks.forkedHead(chatId, messageId)),
  ]);
  if (row === undefined || (messageId !== null && head === undefined)) return null;
  const chat = toChat(row, sql);
  // The usage is that of the state, and its head is the active one.
  if (whole !== null && whole.version !== chat.version)
    return readForkOrigin(connection, chatId, { messageId, isWhole });
  const lastSeq = whole?.messageCount ?? head?.seq ?? 0;
  const runs = await read((db) =>
    db.rows<Omit<Row<'message_runs'>, 'chatId'>>(forks.forkedRuns(chatId, lastSeq, MAX_FORKED_MESSAGES + 1)),
  );
  if (runs.length > MAX_FORKED_MESSAGES) {
    throw new InvalidInputError(
      `Chat "${chatId}" has more than ${MAX_FORKED_MESSAGES} runs of messages: export it and import the file`,
      'chatId',
    );
  }
  return { chat, head: head ?? null, runs: new GraphRuns(runs, lastSeq), whole };
}

async function readWhole(
  { sql, read }: Connection,
  chatId: string,
): Promise<(NonNullable<ForkOrigin['whole']> & { version: number }) | null> {
  const state = await readState({ sql, read }, chatId);
  if (state === null) return null;
  const { branches, checkpoints, lastMessageSeq } = state;
  const ids = [
    ...new Set([
      ...branches.flatMap(({ headMessageId }) => headMessageId ?? []),
      ...checkpoints.map(({ messageId }) => messageId),
    ]),
  ];
  const seqs = new Map<string, number>();
  for (let start = 0; start < ids.length; start += IDS_PER_READ) {
    const some = ids.slice(start, start + IDS_PER_READ);
    const rows = await read((db) => db.rows<SourceMessage>(sql.placesById(some)));
    for (const { id, seq } of rows) seqs.set(id, seq);
  }
  const seqOf = (id: string) => seqs.get(id) ?? 0;
  return {
    version: state.chat.version,
    messageCount: lastMessageSeq,
    branches: branches.map(({ name, isActive, headMessageId }) => ({
      name,
      isActive,
      headSeq: headMessageId === null ? null : seqOf(headMessageId),
    })),
    checkpoints: checkpoints.map(({ name, messageId }) => ({ name, messageSeq: seqOf(messageId) })),
  };
}

/** Computes missing digests: a fork copies them, and keeps sources that it does not copy as their hashes. */
async function requireDigests(connection: Connection, chatId: string): Promise<void> {
  const { sql, read } = connection;
  const isMissing = async () => {
    const after = { chatId, seq: 0 };
    const [first] = await read((db) => db.rows<SeqPosition>(sql.digestSizes(after, true, 1)));
    return first?.chatId === chatId;
  };
  if (!(await isMissing())) return;
  await fillDigests(connection, { ofChat: chatId });
  if (!(await isMissing())) return;
  throw new InvalidInputError(`Chat "${chatId}" has messages whose hash is not computed yet: retry later`, 'chatId');
}
