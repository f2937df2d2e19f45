/** What reading a file found and left out, in numbers and sentences. */

/** So many lines of each kind are kept; a file may have a fault in every one of a million lines. */
const MAX_LINES = 1000;

/** Sentences of one kind: the first 1,000, and how many there are. */
export class ReportLines {
  readonly kept: string[] = [];
  total = 0;

  add(line: string): void {
    this.total++;
    if (this.kept.length < MAX_LINES) this.kept.push(line);
  }

  /** How many are not kept. */
  get left(): number {
    return this.total - this.kept.length;
  }
}

/** A value or a text of a file that cannot be read. */
export interface ReadFailure {
  place: string;
  title: string | null;
  /** The name of the format; null when it was not recognised. */
  format: string | null;
  reason: string;
}

/** Grows while a file is read, and is complete when the reading ends. */
export class ReadReport {
  /** How many trees were read, and messages in them. */
  conversations = 0;
  messages = 0;
  /** How many conversations were read of each format, by its label. */
  readonly formats = new Map<string, number>();
  /** How many texts had characters that no database can store: U+FFFD stands for them. */
  textsChanged = 0;
  /** Where a tree differs from its file: a time, a message or an id that was left out or changed. */
  readonly warnings = new ReportLines();
  /** Files of a zip or a folder that hold no conversations. */
  readonly notes = new ReportLines();
  /** Each conversation that cannot be read: where, and why. */
  readonly failures = new ReportLines();

  fail({ place, title, reason }: ReadFailure): void {
    this.failures.add(`${namedPlace(place, title)}: ${reason}`);
  }
}

export function namedPlace(place: string, title: string | null): string {
  return title === null || title === '' ? place : `${place} (${JSON.stringify(title.slice(0, 100))})`;
}
