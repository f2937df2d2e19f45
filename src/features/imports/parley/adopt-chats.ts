/** Imports the chats in Parley's own format from the values of a file, and yields all other values. */
import { isJsonObject } from '../../../conversation/text/merge-patch.js';
import {
  type FoundValue,
  parley,
  type ReadFailure,
  UnreadableError,
  importedChatId,
  importedMessageId,
} from '@parley/interchange/server';
import type { ImportOutcome } from '../conversations/import-conversation.js';
import { nothingSaved } from '../conversations/saved-tree.js';
import type { Adopt } from './adopt-chat.js';
import { ChatLineGroup } from './chat-line-group.js';
import type { WholeChat } from '../../../conversation/whole-chat.js';
import type { StoredEvent } from '../../../conversation/model.js';
import { PAYLOAD_IDS } from './checked-values.js';

export interface Adopting {
  adopt: Adopt;
  /** The new owner; null keeps the owners in the file. */
  owner: string | null;
  /** The author of all messages and events, because a file can name any user. Null keeps the authors in the file. */
  actor: string | null;
}

/** The result for one chat. */
export interface Adopted {
  add(place: string, title: string | null, outcome: ImportOutcome, warnings: readonly string[]): void;
  /** Stores the files of a chat before it is written, and returns warnings. */
  adoptFiles(userId: string, fileIds: Iterable<string>): Promise<readonly string[]>;
  fail(failure: ReadFailure): void;
  /** Returns the reason for which one chat cannot be read; throws errors that concern the whole import. */
  reasonOf(error: unknown, title: string | null): string;
  /** Awaited between chats. */
  pause(): Promise<void>;
}

type Open = { place: string; chat: ChatLineGroup | null };

/** @returns the values in other formats */
export async function* adoptChats(
  values: AsyncIterable<FoundValue>,
  { adopt, owner, actor }: Adopting,
  report: Adopted,
): AsyncGenerator<FoundValue> {
  /** The chat whose lines are being read. After a fault it has only a place, and its other lines are skipped. */
  let open = null as Open | null;
  const fail = (place: string, chat: ChatLineGroup | null, error: unknown) => {
    const title = chat?.chat.title ?? null;
    report.fail({ place, title, format: parley.name, reason: report.reasonOf(error, title) });
  };
  const cut = () => {
    if (open?.chat != null)
      fail(open.place, open.chat, new UnreadableError('its end is missing: nothing of it was written'));
    open?.chat?.close();
    open = null;
  };
  try {
    for await (const found of values) {
      const line = 'value' in found && isJsonObject(found.value) ? found.value : null;
      const isFirst = line !== null && 'parley' in line && 'chat' in line;
      if (isFirst) cut();
      if (open === null && !isFirst) {
        yield found;
        continue;
      }
      const place: string = open?.place ?? found.place;
      let chat: ChatLineGroup | null = open?.chat ?? null;
      try {
        if ('fault' in found) throw new UnreadableError(found.fault);
        if (line === null) throw new UnreadableError('a line of it is not an object');
        if (isFirst) open = { place, chat: (chat = new ChatLineGroup(line, owner, actor)) };
        else if (chat === null) {
          if ('end' in line) open = null;
        } else if (chat.add(line)) {
          open = null;
          const { title } = chat.chat;
          const warnings = await report.adoptFiles(chat.chat.userId, chat.fileIds);
          report.add(place, title, await adoptLineGroup(adopt, chat), warnings);
          chat.close();
        }
      } catch (error) {
        open = line !== null && 'end' in line ? null : { place, chat: null };
        chat?.close();
        fail(place, chat, error);
      }
      if (open === null) await report.pause();
    }
    cut();
  } finally {
    open?.chat?.close();
  }
}

/**
 * Writes a complete chat.
 * @throws UnreadableError when the chat is refused; then nothing was written
 */
export async function adoptLineGroup(adopt: Adopt, group: ChatLineGroup): Promise<ImportOutcome> {
  let whole = group.whole();
  let adoption = await adopt(whole);
  let ids = group.messageIds;
  if (adoption.result === 'taken') {
    whole = renamedChat(whole);
    ids = [];
    for await (const rows of whole.messages()) for (const { id } of rows) ids.push(id);
    adoption = await adopt(whole);
  }
  if (adoption.result === 'taken') throw new UnreadableError('other chats or messages already use its ids');
  if (adoption.result === 'diverged') {
    const { kind, seq } = adoption.difference;
    const reason = 'the chat has changed differently here: it was left unchanged';
    throw new UnreadableError(`${reason}; ${kind} ${seq} is the first that differs`);
  }
  const messageIds = adoption.result === 'unchanged' ? [] : ids.slice(adoption.firstSeq - 1);
  const { result } = adoption;
  return { ...nothingSaved(), chatId: whole.chat.id, result, messageIds };
}

/**
 * A chat under derived ids, for a chat whose own ids are taken. The derivation is stable, so that a repeated import
 * finds the chat.
 */
function renamedChat(whole: WholeChat): WholeChat {
  const { chat } = whole;
  const chatId = importedChatId(chat.userId, parley.name, chat.id);
  const renamed = (id: string) => importedMessageId(chatId, id);
  const renamedOrNull = (id: string | null) => (id === null ? null : renamed(id));
  return {
    ...whole,
    chat: { ...chat, id: chatId },
    branches: whole.branches.map((branch) => {
      return { ...branch, chatId, id: renamed(branch.id), headMessageId: renamedOrNull(branch.headMessageId) };
    }),
    checkpoints: whole.checkpoints.map((checkpoint) => {
      return { ...checkpoint, chatId, id: renamed(checkpoint.id), messageId: renamed(checkpoint.messageId) };
    }),
    messages: () =>
      mapped(whole.messages(), (message) => {
        const { id, parentId, jumpId } = message;
        const sources = message.sources.map(({ id: sourceId, seq }) => ({ id: renamed(sourceId), seq }));
        const ids = { id: renamed(id), parentId: renamedOrNull(parentId), jumpId: renamed(jumpId), sources };
        return { ...message, chatId, ...ids };
      }),
    events: () =>
      mapped(whole.events(), (event) => ({ ...event, chatId, payload: renamedPayload(event.payload, renamed) })),
  };
}

function renamedPayload(payload: StoredEvent['payload'], renamed: (id: string) => string): string {
  const members = Object.entries(JSON.parse(payload) as Record<string, unknown>);
  return JSON.stringify(
    Object.fromEntries(
      members.map(([key, at]) => [key, PAYLOAD_IDS.has(key) && at !== null ? renamed(at as string) : at]),
    ),
  );
}

async function* mapped<T>(pieces: AsyncIterable<readonly T[]>, map: (row: T) => T): AsyncGenerator<readonly T[]> {
  for await (const piece of pieces) yield piece.map(map);
}
