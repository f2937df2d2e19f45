/** The results of one text of a file. They decide whether values of unknown formats are failures. */
import type { UnreadValue } from '../readers/guarded-reading.js';
import { namedPlace, type ReadFailure, type ReadReport } from './read-report.js';
import type { SourceText } from '../files/source-text.js';

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
