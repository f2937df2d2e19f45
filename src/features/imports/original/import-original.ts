/** Imports all chats of a database of `@deepagents/context` with their ids and times, each in its own transaction. */
import { adoptLineGroup, type Adopting } from '../parley/adopt-chats.js';
import { ChatLineGroup } from '../parley/chat-line-group.js';
import type { Files } from '../../../files/files.js';
import { FileProblems, withStoredDataUrls } from '../conversations/add-attachment.js';
import { reasonOf, DatabaseFailure } from '../conversations/failure-reason.js';
import { ImportReport, type ConversationReport } from '../conversations/import-report.js';
import { type ReadFailure, UnreadableError } from '@parley/interchange/server';
import { ORIGINAL, originalLines } from './original-chat.js';
import type { OriginalChat, OriginalDatabase } from './original-database.js';

/**
 * Faults are in the report. A failing database ends the import, which can be repeated.
 * @param files stores long data URLs; null keeps them in messages
 * @param onRead called after each chat
 */
export async function importOriginal(
  db: OriginalDatabase,
  adopting: Adopting,
  files: Files | null,
  onRead: (read: ConversationReport | ReadFailure) => void = () => {},
): Promise<ImportReport> {
  const report = new ImportReport();
  const fail = (failure: ReadFailure) => {
    report.fail(failure);
    onRead(failure);
  };
  let number = 0;
  try {
    for await (const chats of db.chats()) {
      for (const chat of chats) {
        number++;
        const { title } = chat;
        const place = `chat ${number}`;
        try {
          onRead(await importChat(db, chat, { ...adopting, files }, place, report));
        } catch (error) {
          fail({ place, title, format: ORIGINAL.name, reason: reasonOf(error, chat) });
        }
      }
    }
  } catch (error) {
    if (!(error instanceof DatabaseFailure) && !(error instanceof UnreadableError)) throw error;
    const place = error instanceof DatabaseFailure ? 'the database' : 'the database to read from';
    fail({ place, title: null, format: null, reason: error.message });
  }
  return report;
}

async function importChat(
  db: OriginalDatabase,
  chat: OriginalChat,
  { files, ...adopting }: Adopting & { files: Files | null },
  place: string,
  report: ImportReport,
): Promise<ConversationReport> {
  const userId = adopting.owner ?? chat.userId;
  const problems = new FileProblems();
  let hasMoved = false as boolean;
  const move = async (data: unknown): Promise<unknown> => {
    const moved = files === null ? data : await withStoredDataUrls({ files, userId, problems }, data);
    hasMoved ||= moved !== data;
    return moved;
  };
  try {
    return await adopt(db, chat, adopting, { place, report, move, problems });
  } catch (error) {
    if (!hasMoved) throw error;
    // An import of an earlier version stored the chat with its data URLs.
    const asStored = { place, report, move: (data: unknown) => Promise.resolve(data), problems: new FileProblems() };
    return adopt(db, chat, adopting, asStored).catch(() => {
      throw error;
    });
  }
}

async function adopt(
  db: OriginalDatabase,
  chat: OriginalChat,
  { adopt, owner, actor }: Adopting,
  {
    place,
    report,
    move,
    problems,
  }: { place: string; report: ImportReport; move: (data: unknown) => Promise<unknown>; problems: FileProblems },
): Promise<ConversationReport> {
  const warnings: string[] = [];
  let group: ChatLineGroup | null = null;
  try {
    for await (const line of originalLines(db, chat, warnings, move)) {
      if (group === null) group = new ChatLineGroup(line, owner, actor ?? owner);
      else group.add(line);
    }
    if (group === null) throw new UnreadableError('it is empty');
    const outcome = await adoptLineGroup(adopt, group);
    return report.add(
      place,
      ORIGINAL,
      { title: group.chat.title, warnings: [...warnings, ...problems.warnings] },
      outcome,
      0,
    );
  } finally {
    group?.close();
  }
}
