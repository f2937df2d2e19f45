/** Chats as text of a format: one after the other, each as it was at one moment. */
import type { Archive, StoredChat } from '../../conversation/archive.js';
import type { Chat } from '../../conversation/model.js';
import { LINES, type Writer, type WriterOptions } from '../writers/writer.js';

export interface ExportRequest extends WriterOptions {
  archive: Archive;
  writer: Writer;
  /** Whose chats; null: everybody's. */
  userId: string | null;
  /** One chat alone; null: all. */
  chatId: string | null;
  /** Those changed since then, in milliseconds since 1970; null: all. */
  since: number | null;
}

/** What an export did. */
export class ExportReport {
  chats = 0;
  /** Those that were written, once each. */
  messages = 0;
  /** Those that are on none of the paths that were asked for. */
  left = 0;
  /** Those that were there already, as they are. */
  unchanged = 0;
  /** Those that were deleted while they were read: what was written of them is not whole. */
  readonly deleted: string[] = [];

  /** @param onChat told how many chats are done */
  constructor(
    private readonly writer: Writer,
    private readonly onChat: (done: number) => void = () => {},
  ) {}

  /** @param messages that were written @param all that there are */
  add(messages: number, all: number): void {
    this.chats++;
    this.messages += messages;
    this.left += all - messages;
    this.onChat(this.chats + this.unchanged);
  }

  pass(): void {
    this.unchanged++;
    this.onChat(this.chats + this.unchanged);
  }

  /** Lines to print. */
  summary(): string[] {
    const { losses, label } = this.writer;
    const unchanged = this.unchanged === 0 ? '' : `, ${this.unchanged} there already`;
    return [
      `${count(this.chats, 'chat')} exported (${count(this.messages, 'message')})${unchanged}, as ${label}.`,
      ...(this.left === 0
        ? []
        : [
            `${count(this.left, 'message')} ${this.left === 1 ? 'is' : 'are'} on none of the paths that were asked for: see --paths.`,
          ]),
      ...(losses.length === 0 ? [] : ['What this format does not hold:', ...losses.map((loss) => `  ${loss}`)]),
      ...this.deleted.map((id) => `Chat ${id} was deleted while it was read: it is not whole.`),
    ];
  }
}

/** The chats that are asked for. */
export async function* askedChats({ archive, userId, chatId, since }: ExportRequest): AsyncGenerator<Chat> {
  if (chatId === null) {
    for await (const chats of archive.chats({ userId, since })) yield* chats;
    return;
  }
  const found = await archive.read(chatId);
  if (found !== null && (userId === null || found.chat.userId === userId)) yield found.chat;
}

/** A file with all chats. */
export async function* exportChats(request: ExportRequest, report: ExportReport): AsyncGenerator<string> {
  const { before, between, after } = frameOf(request, request.chatId !== null);
  if (before !== '') yield before;
  let isFirst = true;
  for await (const { id } of askedChats(request)) {
    const chat = await request.archive.read(id);
    if (chat === null) continue;
    if (!isFirst && between !== '') yield between;
    isFirst = false;
    yield* exportChat(request, chat, report);
  }
  if (after !== '') yield after;
}

/** A file with one chat. */
export async function* exportOne(
  request: ExportRequest,
  chat: StoredChat,
  report: ExportReport,
): AsyncGenerator<string> {
  const { before, after } = frameOf(request, true);
  if (before !== '') yield before;
  yield* exportChat(request, chat, report);
  if (after !== '') yield after;
}

function frameOf({ writer }: ExportRequest, isAlone: boolean): Writer['frame'] {
  return isAlone && writer.isBareAlone === true ? LINES : writer.frame;
}

/** A chat, without what stands around the chats of a file. */
async function* exportChat(
  { writer, paths }: ExportRequest,
  chat: StoredChat,
  report: ExportReport,
): AsyncGenerator<string> {
  const written = yield* writer.write(chat, { paths });
  report.add(typeof written === 'number' ? written : chat.messageCount, chat.messageCount);
  if (!(await chat.isThere())) report.deleted.push(chat.chat.id);
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
