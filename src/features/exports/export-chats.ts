/** Writes chats as text of a format. Each chat is a snapshot of one moment. */
import { AccessEndedError, type Archive, type StoredChat } from './archive.js';
import { ExportedFiles } from './exported-files.js';
import type { Files } from '../../files/files.js';
import { LINES, type Writer, type WriterOptions } from '@parley/interchange/server';

export interface ExportRequest extends WriterOptions {
  archive: Archive;
  writer: Writer;
  /** The owner; null exports the chats of all users. */
  userId: string | null;
  /** The id of a single chat; null exports all. */
  chatId: string | null;
  /** Only chats changed since this time, in milliseconds since 1970; null exports all. */
  since: number | null;
  /** For a zip in Parley's format, which contains them. @default null */
  files?: Files | null;
  /** Ends the writing of files with its reason. */
  signal?: AbortSignal;
}

/** The results of an export. */
export class ExportReport {
  readonly files = new ExportedFiles();
  chats = 0;
  /** Distinct messages written. */
  messages = 0;
  /** Messages on none of the requested paths. */
  left = 0;
  /** Chats whose files were already up to date. */
  unchanged = 0;
  /** Chats that were deleted or transferred during the export: their text is incomplete. */
  readonly lost: string[] = [];

  /** @param onChat called with the number of finished chats */
  constructor(
    private readonly writer: Writer,
    private readonly onChat: (done: number) => void = () => {},
  ) {}

  /**
   * @param messages the number written
   * @param all the number in the chat
   */
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
            `${count(this.left, 'message')} ${this.left === 1 ? 'is' : 'are'} on none of the requested paths: see --paths.`,
          ]),
      ...this.#fileLines(),
      ...(losses.length === 0 ? [] : ['This format does not keep:', ...losses.map((loss) => `  ${loss}`)]),
      ...this.lost.map((id) => `Chat ${id} was deleted or transferred while it was read: it is incomplete.`),
    ];
  }

  #fileLines(): string[] {
    const { messageOf, hasMore, written, missing } = this.files;
    const left = messageOf.size - written - missing.length;
    return [
      ...(written === 0 ? [] : [`${count(written, 'file')} of messages ${written === 1 ? 'is' : 'are'} in the zip.`]),
      ...(missing.length === 0
        ? []
        : [`${count(missing.length, 'file')} had no content in the storage, such as ${missing[0]}.`]),
      ...(left === 0 || written > 0
        ? []
        : [
            `${hasMore ? 'More than ' : ''}${count(left, 'file')} of messages ${left === 1 ? 'is' : 'are'} left out: a zip in Parley's format contains them.`,
          ]),
    ];
  }
}

/**
 * The requested chats, each read when its turn comes. Chats that were deleted or transferred before that are skipped.
 */
export async function* askedChats(request: ExportRequest): AsyncGenerator<StoredChat> {
  const { archive, userId, chatId } = request;
  for await (const id of askedIds(request)) {
    const chat = await archive.read(id, userId, chatId === null ? 'OWNED' : 'READABLE');
    if (chat !== null) yield chat;
  }
}

async function* askedIds({ archive, userId, chatId, since }: ExportRequest): AsyncGenerator<string> {
  if (chatId !== null) yield chatId;
  else for await (const chats of archive.chats({ userId, since })) for (const { id } of chats) yield id;
}

/**
 * A file with all chats.
 * @throws AccessEndedError after a last line with the reason, where the format has one
 */
export async function* exportChats(request: ExportRequest, report: ExportReport): AsyncGenerator<string> {
  const { before, between, after } = frameOf(request, request.chatId !== null);
  const { incomplete = () => '' } = request.writer;
  if (before !== '') yield before;
  let isFirst = true;
  try {
    for await (const chat of askedChats(request)) {
      if (!isFirst && between !== '') yield between;
      isFirst = false;
      yield* exportChat(request, chat, report);
    }
  } catch (error) {
    if (error instanceof AccessEndedError) yield incomplete(error.message);
    throw error;
  }
  if (after !== '') yield after;
}

/**
 * A file with one chat.
 * @throws AccessEndedError
 */
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

/**
 * A chat without the frame of the file. Where the format can mark a lost chat as incomplete, the export continues.
 * @throws AccessEndedError
 */
async function* exportChat(
  { writer, paths }: ExportRequest,
  chat: StoredChat,
  report: ExportReport,
): AsyncGenerator<string> {
  const { id } = chat.chat;
  try {
    const written = yield* writer.write(report.files.noting(chat), { paths });
    report.add(typeof written === 'number' ? written : chat.messageCount, chat.messageCount);
    if (!(await chat.isThere())) report.lost.push(id);
  } catch (error) {
    if (!(error instanceof AccessEndedError) || error.chatId === null || writer.incomplete === undefined) throw error;
    report.lost.push(id);
    yield writer.incomplete(error.message);
  }
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
