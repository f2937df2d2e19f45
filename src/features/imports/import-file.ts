/** Imports a whole file into the store, conversation by conversation. */
import type { ConversationStore } from '../../conversation/store.js';
import {
  conversationsIn,
  type AttachmentIndex,
  findValues,
  LongDataUrls,
  NOTHING_FOUND,
  parley,
  type ReadConversation,
  type Reader,
  type ReadFailure,
  sentence,
  type SourceFile,
  type SourceText,
  TextFindings,
  UnreadableError,
} from '@parley/interchange/server';
import { DatabaseStore } from '../../database/store/database-store.js';
import { fillDigests } from '../../database/writing/fill-digests.js';
import { MAX_DATA_URL_LENGTH } from '../../files/data-urls.js';
import type { Files } from '../../files/files.js';
import { adoptChats, type Adopting } from './parley/adopt-chats.js';
import { adoptFiles } from './parley/adopt-files.js';
import { DatabaseFailure, reasonOf } from './conversations/failure-reason.js';
import {
  importConversation,
  prepareConversation,
  underFormerId,
  type ImportOutcome,
  type PreparedChat,
} from './conversations/import-conversation.js';
import { createAll } from './conversations/create-all.js';
import { FileMover } from './conversations/file-mover.js';
import { ImportReport, type ConversationReport } from './conversations/import-report.js';
import { hasSeveral } from './several-conversations.js';

export interface ImportOptions {
  /**
   * The reader for every value; null finds each value's reader by its shape.
   * @default null
   */
  format?: Reader | null;
  /**
   * The chat that the only conversation of the file continues. The first one of a stream with several continues it.
   * @default null: its id decides
   */
  into?: string | null;
  /**
   * The target of chats in Parley's own format.
   * @default null, which skips them
   */
  adopting?: Adopting | null;
  /**
   * Stores images and documents. Null keeps them in messages, up to the size of a message.
   * @default null
   */
  files?: Files | null;
  /** Called after each conversation and each other value, and with null while the reading continues. */
  onRead?: (read: ConversationReport | ReadFailure | null) => void;
  /** Awaited between conversations, for slow consumers of the report. An error ends the import. */
  pause?: () => Promise<void>;
}

/**
 * Imports every readable conversation in its own transaction. Faults are in the report. A failing database ends the
 * import and is in the report too; finished conversations stay.
 * @param userId the owner of the chats
 */
export async function importFile(
  store: ConversationStore,
  userId: string,
  file: SourceFile,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const report = new ImportReport();
  const { into = null, format = null } = options;
  if (into !== null && (await hasSeveral(file, format))) {
    const reason = `chat "${into}" continues one conversation, and the file has several: nothing is written`;
    report.fail({ place: 'the file', title: null, format: null, reason });
    return report;
  }
  let mayHoldOthers = false;
  for await (const text of file.texts) {
    mayHoldOthers ||= text.isMaybe;
    const run = new TextImport(store, userId, text, text.files ?? file.files, report, options);
    if (!(await run.run())) break;
  }
  for (const line of file.leftOut ?? []) report.notes.add(line);
  if (report.isEmpty && mayHoldOthers) report.fail(NOTHING_FOUND);
  return report;
}

/** Messages per transaction: few enough that other writers wait for a fraction of a second. */
const MESSAGES_TOGETHER = 2000;
const CHATS_TOGETHER = 250;
/** For chats whose messages have files, whose number is unknown. */
const CHATS_WITH_FILES_TOGETHER = 10;
const MAX_TOGETHER = 2 * 1024 * 1024;

type Readable = Extract<ReadConversation, { conversation: unknown }>;

class TextImport {
  readonly #findings: TextFindings;
  /** By chat id. */
  readonly #waiting = new Map<string, { read: Readable; prepared: PreparedChat }>();
  #bytesWaiting = 0;
  #messagesWaiting = 0;
  readonly #longUrls: LongDataUrls | null;
  readonly #mover: FileMover | null;

  constructor(
    private readonly store: ConversationStore,
    private readonly userId: string,
    private readonly text: SourceText,
    private readonly files: AttachmentIndex | null,
    private readonly report: ImportReport,
    private readonly options: ImportOptions,
  ) {
    this.#findings = new TextFindings(text, report);
    const { files: storage = null } = options;
    this.#longUrls = storage === null ? null : new LongDataUrls();
    this.#mover = storage && this.#longUrls && new FileMover(store, storage, userId, this.#longUrls);
  }

  /** @returns whether reading can continue with the next text */
  async run(): Promise<boolean> {
    const { format = null, onRead = () => {} } = this.options;
    try {
      const warnings: string[] = [];
      const values = findValues(this.text.bytes(), this.#longUrls, (sentence) => warnings.push(sentence));
      const { adopting = null } = this.options;
      const others = adopting === null || format !== null ? values : adoptChats(values, adopting, this);
      const { name, fileName = name, digest } = this.text;
      const broken = await this.#takeAll(conversationsIn(others, format, { fileName, digest, warnings }), onRead);
      await this.#flush();
      if (broken !== null) throw broken;
    } catch (error) {
      if (error instanceof DatabaseFailure) {
        this.report.databaseError = error.cause instanceof Error ? error.cause : error;
        this.report.fail({ place: 'the database', title: null, format: null, reason: error.message });
        return false;
      }
      if (!(error instanceof UnreadableError)) throw error;
      this.#findings.breakOff(sentence(error));
    } finally {
      this.#longUrls?.close();
    }
    this.#findings.end();
    return true;
  }

  /** A chat in Parley's own format. */
  add(place: string, title: string | null, outcome: ImportOutcome, warnings: readonly string[]): void {
    this.#findings.found++;
    const report = this.report.add(this.#findings.placeOf(place), parley, { title, warnings }, outcome, 0);
    this.options.onRead?.(report);
  }

  async adoptFiles(userId: string, fileIds: Iterable<string>): Promise<readonly string[]> {
    const { files = null } = this.options;
    return files === null ? [] : adoptFiles(files, this.files, userId, fileIds);
  }

  /** Records a part that cannot be read. */
  fail(failure: ReadFailure): void {
    const report = { ...failure, place: this.#findings.placeOf(failure.place) };
    this.report.fail(report);
    this.options.onRead?.(report);
  }

  async pause(): Promise<void> {
    await this.options.pause?.();
  }

  reasonOf(error: unknown, title: string | null): string {
    return reasonOf(error, { title });
  }

  /** @returns the error that ended the reading; earlier conversations are still pending */
  async #takeAll(
    reads: AsyncIterable<ReadConversation>,
    onRead: NonNullable<ImportOptions['onRead']>,
  ): Promise<UnreadableError | null> {
    try {
      for await (const read of reads) {
        await this.#take('fault' in read ? read : this.#withFiles(read));
        onRead(null);
        await this.pause();
      }
      return null;
    } catch (error) {
      if (error instanceof UnreadableError) return error;
      throw error;
    }
  }

  /** Files are read when the conversation is written. */
  #withFiles(read: Readable): Readable {
    const { files } = this;
    return files === null ? read : { ...read, conversation: { ...read.conversation, files } };
  }

  /** Under the id of its chat, with stored files. Null after a failure, which is reported. */
  async #made(read: Readable): Promise<Readable | null> {
    try {
      const isNew = (this.options.into ?? null) === null;
      const named = isNew ? await underFormerId(this.store, this.userId, read.conversation) : read.conversation;
      const hasFiles = read.bytes > MAX_DATA_URL_LENGTH || this.files?.isEmpty === false;
      const conversation = this.#mover !== null && hasFiles ? await this.#mover.move(named) : named;
      return { ...read, conversation };
    } catch (error) {
      await this.#flush();
      this.#fail(read, error);
      return null;
    }
  }

  async #take(found: ReadConversation): Promise<void> {
    if ('fault' in found) {
      await this.#flush();
      const failure = this.#findings.note(found);
      this.options.onRead?.(failure);
      return;
    }
    this.#findings.found++;
    const read = await this.#made(found);
    if (read === null) return;
    const { conversation, bytes } = read;
    const isAlone = (this.options.into ?? null) !== null;
    if (!isAlone && bytes < MAX_TOGETHER && conversation.nodes.length < MESSAGES_TOGETHER) {
      const prepared = await this.#prepared(read);
      if (prepared !== null) {
        this.#waiting.set(prepared.change.chat.id, { read, prepared });
        this.#bytesWaiting += bytes;
        this.#messagesWaiting += conversation.nodes.length;
        const isFull = this.#bytesWaiting >= MAX_TOGETHER || this.#messagesWaiting >= MESSAGES_TOGETHER;
        const most = this.files?.isEmpty !== false ? CHATS_TOGETHER : CHATS_WITH_FILES_TOGETHER;
        if (isFull || this.#waiting.size === most) await this.#flush();
        return;
      }
    }
    await this.#flush();
    await this.#import(read);
  }

  /** Null when it must be imported by itself: it exists, is pending, or has a fault. */
  async #prepared({ conversation }: Readable): Promise<PreparedChat | null> {
    try {
      const prepared = await prepareConversation(this.store, this.userId, conversation);
      return prepared === null || this.#waiting.has(prepared.change.chat.id) ? null : prepared;
    } catch {
      return null;
    }
  }

  /** Small new conversations share a transaction, which costs more than they do. */
  async #flush(): Promise<void> {
    const waiting = [...this.#waiting.values()];
    if (waiting.length === 0) return;
    this.#waiting.clear();
    this.#bytesWaiting = this.#messagesWaiting = 0;
    let isWritten = false;
    try {
      const [first, ...others] = waiting.map(({ prepared }) => prepared.change);
      isWritten =
        first !== undefined && others.length > 0 && (await createAll(DatabaseStore.of(this.store), [first, ...others]));
    } catch {
      // After a failure, each conversation is imported and reported by itself.
    }
    for (const { read, prepared } of waiting) {
      if (!isWritten) await this.#import(read);
      else await this.#finish(read, { chatId: prepared.change.chat.id, result: 'imported', ...prepared.saved });
    }
  }

  async #import(read: Readable): Promise<void> {
    try {
      const { into = null } = this.options;
      if (into !== null && this.report.conversationCount > 0) {
        throw new UnreadableError(`Chat "${into}" continues only the first conversation of a file`);
      }
      await this.#finish(read, await importConversation(this.store, this.userId, read.conversation, into));
    } catch (error) {
      this.#fail(read, error);
    }
  }

  /** After any error, the other conversations may be readable. */
  #fail({ place, conversation, reader }: Readable, error: unknown): void {
    const { title } = conversation;
    this.fail({ place, title, format: reader.name, reason: reasonOf(error, conversation) });
  }

  async #finish(read: Readable, outcome: ImportOutcome): Promise<void> {
    if (outcome.result !== 'unchanged')
      await fillDigests(DatabaseStore.of(this.store).connection, { ofChat: outcome.chatId });
    const { place, reader, conversation, textsChanged } = read;
    const report = this.report.add(this.#findings.placeOf(place), reader, conversation, outcome, textsChanged());
    this.options.onRead?.(report);
  }
}
