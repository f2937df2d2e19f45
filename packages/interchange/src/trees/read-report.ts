/** The results of reading a file, in numbers and sentences. */

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
