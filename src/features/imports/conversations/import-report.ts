/** The results of an import in numbers and sentences. */
import {
  type FileFault,
  MAX_GROWTH,
  namedPlace,
  type Reader,
  type ReadFailure,
  ReportLines,
  type SourceConversation,
} from '@parley/interchange/server';
import type { ImportOutcome } from './import-conversation.js';

/** Messages or files that a line names; the others are counted. */
const MAX_NAMED = 3;

/** The result for a conversation. */
export interface ConversationReport {
  /** Its position in the file. */
  place: string;
  title: string | null;
  /** The name of the format. */
  format: string;
  result: ImportOutcome['result'];
  chatId: string;
  /** The ids of the written messages. */
  messageIds: readonly string[];
  /** The number of them that are new versions of changed messages. */
  changedMessages: number;
  /** Omissions and ambiguities. */
  warnings: readonly string[];
}

export class ImportReport {
  readonly conversations = { imported: 0, updated: 0, unchanged: 0 };
  readonly messages = { imported: 0, updated: 0, changed: 0 };
  /** The number of conversations per format, by the format's label. */
  readonly formats = new Map<string, number>();
  /** Texts with characters that cannot be stored. */
  textsChanged = 0;
  /** The written conversations. */
  readonly written = new ReportLines();
  readonly warnings = new ReportLines();
  /** Files without conversations. */
  readonly notes = new ReportLines();
  /** The place and reason of each failure. */
  readonly failures = new ReportLines();
  /** The database error that ended the import. */
  databaseError: Error | null = null;

  /** New chats of conversations without an id in the file. */
  withoutId = 0;

  get conversationCount(): number {
    const { imported, updated, unchanged } = this.conversations;
    return imported + updated + unchanged;
  }

  /** Whether the file contained nothing. */
  get isEmpty(): boolean {
    return this.conversationCount + this.failures.total === 0;
  }

  add(
    place: string,
    reader: Pick<Reader, 'name' | 'label'>,
    conversation: Pick<SourceConversation, 'title' | 'warnings' | 'formerId'>,
    outcome: ImportOutcome,
    textsChanged: number,
  ): ConversationReport {
    const { result, chatId, messageIds, changedMessages } = outcome;
    this.conversations[result]++;
    if (result === 'imported' && conversation.formerId !== undefined) this.withoutId++;
    if (result !== 'unchanged') this.messages[result] += messageIds.length;
    this.messages.changed += changedMessages;
    this.formats.set(reader.label, (this.formats.get(reader.label) ?? 0) + 1);
    this.textsChanged += textsChanged;
    const warnings = [...conversation.warnings, ...leftOut(outcome)];
    const where = namedPlace(place, conversation.title);
    for (const warning of warnings) this.warnings.add(`${where}: ${warning}`);
    if (result !== 'unchanged') {
      const isNew = result === 'imported';
      const changed = changedMessages === 0 ? '' : `, ${changedMessages} of them changed since`;
      this.written.add(
        `${where}: ${count(messageIds.length, isNew ? 'message' : 'new message')}${changed}; chat ${chatId}`,
      );
    }
    return {
      place,
      title: conversation.title,
      format: reader.name,
      result,
      chatId,
      messageIds,
      changedMessages,
      warnings,
    };
  }

  fail({ place, title, reason }: ReadFailure): void {
    this.failures.add(`${namedPlace(place, title)}: ${reason}`);
  }

  /** Lines to print. */
  summary(): string[] {
    const { imported, updated, unchanged } = this.conversations;
    const [first, rest] = [
      `${count(imported, 'conversation')} imported (${count(this.messages.imported, 'message')})`,
      [`${updated} updated (${count(this.messages.updated, 'new message')})`, `${unchanged} unchanged`],
    ];
    const formats = [...this.formats].map(([label, n]) => (this.formats.size === 1 ? label : `${label} (${n})`));
    const warnings = [...this.warnings.kept];
    if (this.textsChanged > 0) {
      warnings.unshift(
        `${count(this.textsChanged, 'text')} had characters that cannot be stored; U+FFFD replaces them`,
      );
    }
    return [
      `${[first, ...rest].join(', ')}.`,
      ...(formats.length > 0 ? [`Read as ${formats.join(', ')}.`] : []),
      ...(this.withoutId > 0
        ? [
            `${this.withoutId} known by their place in the file: a longer file becomes another chat, unless --into names the chat.`,
          ]
        : []),
      ...section('Written:', this.written.kept, this.written.left),
      ...section('Warnings:', warnings, this.warnings.left),
      ...section('Left out:', this.notes.kept, this.notes.left),
      ...section(`Could not read (${this.failures.total}):`, this.failures.kept, this.failures.left),
    ];
  }

  /** The numbers for programs. */
  totals(): Record<string, unknown> {
    return {
      conversations: { ...this.conversations, failed: this.failures.total },
      messages: { ...this.messages },
      formats: Object.fromEntries(this.formats),
      textsChanged: this.textsChanged,
      withoutId: this.withoutId,
      warnings: this.warnings.total,
    };
  }
}

const FILE_FAULTS: Readonly<Record<FileFault, string>> = {
  missing: 'not in the zip',
  large: 'too large to be in a message',
  damaged: 'damaged in the zip',
  tooMuch: `left out, because the zip unpacks to more than ${MAX_GROWTH} times its size`,
};

function leftOut({ messagesLeftOut, originalsLeftOut, filesLeftOut }: ImportOutcome): string[] {
  return [
    ...(messagesLeftOut.size > 0
      ? [
          `${namedMessages(messagesLeftOut)} too large or nested too deep, and replaced by a placeholder with the reason`,
        ]
      : []),
    ...(originalsLeftOut.size > 0
      ? [`${originalsLeftOut.size} of its messages were too large or nested too deep to keep their raw original`]
      : []),
    ...Object.entries(FILE_FAULTS).flatMap(([fault, words]) => {
      const urls = [...filesLeftOut].filter(([, why]) => why === fault).map(([url]) => url);
      if (urls.length === 0) return [];
      const [are, instead] = urls.length === 1 ? ['is', 'a pointer replaces it'] : ['are', 'pointers replace them'];
      return [`${urls.length} of its files ${are} ${words}: ${instead} (${listed(urls)})`];
    }),
  ];
}

function namedMessages(ids: ReadonlySet<string>): string {
  return `${ids.size === 1 ? 'message' : 'messages'} ${listed([...ids])} ${ids.size === 1 ? 'was' : 'were'}`;
}

function listed(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMED).map((name) => JSON.stringify(name.slice(0, 100)));
  const others = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${first.join(', ')}${others}`;
}

function section(heading: string, lines: readonly string[], left: number): string[] {
  if (lines.length === 0) return [];
  return [heading, ...lines.map((line) => `  ${line}`), ...(left > 0 ? [`  and ${left} more`] : [])];
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
