/** A whole file into the store, conversation by conversation. */
import { RuleError } from '../../conversation/errors.js';
import type { ConversationStore } from '../../conversation/store.js';
import { findValues } from '../files/found-values.js';
import type { SourceFile, SourceText } from '../files/source-text.js';
import { UnreadableError } from '../files/unreadable.js';
import { sentence, type ReadConversation } from '../readers/guarded-reading.js';
import { readConversations } from '../readers/read-conversations.js';
import type { Reader } from '../readers/reader.js';
import type { SourceConversation } from '../readers/source-conversation.js';
import { importConversation } from './import-conversation.js';
import { ImportReport, type ConversationReport, type FailureReport } from './import-report.js';

export interface ImportOptions {
  /** The reader to take for everything; null to find each value's own by its shape. @default null */
  format?: Reader | null;
  /** Called after each conversation, and after each value that is none. */
  onRead?: (read: ConversationReport | FailureReport | null) => void;
}

/**
 * Imports every conversation that can be read, each in a transaction of its own. What cannot be read is in the report.
 * When the database fails the import ends, with that in the report, too: what was imported before stays.
 *
 * @param userId the owner of the chats
 */
export async function importFile(
  store: ConversationStore,
  userId: string,
  file: SourceFile,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const report = new ImportReport();
  for (const text of file.texts) {
    const run = new TextImport(store, userId, text, report, options);
    if (!(await run.run())) break;
  }
  if (report.isEmpty && file.texts.some((text) => text.isMaybe)) {
    report.fail({ place: 'the file', title: null, format: null, reason: 'nothing in it is a conversation' });
  }
  return report;
}

class TextImport {
  readonly #foreign: FailureReport[] = [];
  #found = 0;

  constructor(
    private readonly store: ConversationStore,
    private readonly userId: string,
    private readonly text: SourceText,
    private readonly report: ImportReport,
    private readonly options: ImportOptions,
  ) {}

  /** @returns whether there is a point in going on with the next text */
  async run(): Promise<boolean> {
    const { name, isMaybe } = this.text;
    const { format = null, onRead = () => {} } = this.options;
    try {
      for await (const read of readConversations(findValues(this.text.bytes()), format)) {
        onRead(await this.#import(read));
      }
    } catch (error) {
      if (error instanceof DatabaseFailure) {
        this.report.fail({ place: 'the database', title: null, format: null, reason: error.message });
        return false;
      }
      if (!(error instanceof UnreadableError)) throw error;
      const place = name ?? 'the file';
      this.#note({ place, title: null, format: null, reason: sentence(error) }, isMaybe);
    }
    if (isMaybe && this.#found === 0) this.report.notes.add(`${name ?? 'a file'} holds no conversations`);
    else for (const failure of this.#foreign) this.report.fail(failure);
    return true;
  }

  async #import(read: ReadConversation): Promise<ConversationReport | FailureReport | null> {
    const place = read.place + (this.text.name === null ? '' : ` of ${this.text.name}`);
    const format = read.reader?.name ?? null;
    if ('fault' in read) {
      const failure = { place, title: read.title, format, reason: read.fault };
      this.#note(failure, this.text.isMaybe && (read.isForeign || read.reader === null));
      return failure;
    }
    this.#found++;
    const { conversation, reader } = read;
    try {
      const outcome = await importConversation(this.store, this.userId, conversation);
      return this.report.add(place, reader, conversation, outcome, read.textsChanged());
    } catch (error) {
      // Whatever went wrong with this one, the others may be read.
      const failure = { place, title: conversation.title, format, reason: reasonOf(error, conversation) };
      this.report.fail(failure);
      return failure;
    }
  }

  /** What in a file of a zip is of no known format is no fault, unless other things in it are. */
  #note(failure: FailureReport, isForeign: boolean): void {
    if (!isForeign) this.report.fail(failure);
    else if (this.#foreign.length < MAX_FOREIGN) this.#foreign.push(failure);
  }
}

const MAX_FOREIGN = 1000;

/** Not about one conversation: the others would fail as well. */
class DatabaseFailure extends Error {}

/** @throws DatabaseFailure */
function reasonOf(error: unknown, conversation: SourceConversation): string {
  if (error instanceof UnreadableError || error instanceof RuleError) return oneLine(error.message);
  // What a reader did not expect comes to light when a message is written.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return sentence(error);
  const message = error instanceof Error ? error.message : String(error);
  const title = conversation.title === null ? '' : ` at ${JSON.stringify(conversation.title.slice(0, 100))}`;
  throw new DatabaseFailure(
    `it failed${title}: ${oneLine(message)}; the import ended there, and may be run again when it works`,
  );
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
