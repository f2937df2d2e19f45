/** The results of reading a file, in numbers and sentences. */
import type { UnreadValue } from '../readers/guarded-reading.js';
import type { SourceText } from '../files/source-text.js';

/** Lines kept of each kind: a file can have a fault in each of a million lines. */
const MAX_LINES = 1000;

/** Sentences of one kind: the first 1,000, and how many there are. */
export class ReportLines {
  readonly kept: string[] = [];
  total = 0;

  add(line: string): void {
    this.total++;
    if (this.kept.length < MAX_LINES) this.kept.push(line);
  }

  /** The number of lines that are not kept. */
  get left(): number {
    return this.total - this.kept.length;
  }
}

/** A value or a text of a file that cannot be read. */
export interface ReadFailure {
  place: string;
  title: string | null;
  /** The name of the format; null for an unknown one. */
  format: string | null;
  reason: string;
}

/** Complete when the reading ends. */
export class ReadReport {
  /** The number of trees and of their messages. */
  conversations = 0;
  messages = 0;
  /** The number of conversations of each format, by its label. */
  readonly formats = new Map<string, number>();
  /** The number of texts with characters that no database can store, which U+FFFD replaces. */
  textsChanged = 0;
  /** Differences of trees from the file: times, messages or ids that were left out or changed. */
  readonly warnings = new ReportLines();
  /** Files and values that are left out. */
  readonly notes = new ReportLines();
  /** The place and reason of each conversation that cannot be read. */
  readonly failures = new ReportLines();

  fail({ place, title, reason }: ReadFailure): void {
    this.failures.add(`${namedPlace(place, title)}: ${reason}`);
  }
}

export function namedPlace(place: string, title: string | null): string {
  return title === null || title === '' ? place : `${place} (${JSON.stringify(title.slice(0, 100))})`;
}

/** The results of one text of a file. They decide whether values of unknown formats are failures. */
const MAX_FOREIGN = 1000;

export class TextFindings {
  /** Conversations that were found. */
  found = 0;
  readonly #foreign: ReadFailure[] = [];

  constructor(
    private readonly text: Pick<SourceText, 'name' | 'isMaybe'>,
    private readonly report: Pick<ReadReport, 'fail' | 'notes'>,
  ) {}

  /** The place with the name of the text, where the file has several. */
  placeOf(place: string): string {
    return this.text.name === null ? place : `${place} of ${this.text.name}`;
  }

  /**
   * Records a value without a conversation. One of no known format is a failure only if other values are conversations.
   * @returns null for a value that is left out on purpose
   */
  note({ place, title, fault: reason, reader, isLeftOut }: UnreadValue & { place: string }): ReadFailure | null {
    const failure = { place: this.placeOf(place), title, format: reader?.name ?? null, reason };
    if (isLeftOut) this.report.notes.add(`${namedPlace(failure.place, title)}: ${reason}`);
    else this.#fail(failure);
    return isLeftOut ? null : failure;
  }

  /** Records that the rest of the text cannot be read. */
  breakOff(reason: string): void {
    this.#fail({ place: this.text.name ?? 'the file', title: null, format: null, reason });
  }

  #fail(failure: ReadFailure): void {
    if (failure.format !== null || !this.text.isMaybe) this.report.fail(failure);
    else if (this.#foreign.length < MAX_FOREIGN) this.#foreign.push(failure);
  }

  end(): void {
    const { name, isMaybe } = this.text;
    if (isMaybe && this.found === 0) this.report.notes.add(`${name ?? 'a file'} contains no conversations`);
    else for (const failure of this.#foreign) this.report.fail(failure);
  }
}

/** The failure of a file without conversations. */
export const NOTHING_FOUND: ReadFailure = {
  place: 'the file',
  title: null,
  format: null,
  reason: 'nothing in it is a conversation',
};
