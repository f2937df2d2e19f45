/** What one text of a file held. It decides whether values of unknown formats are failures. */
import type { ReadFailure, ReadReport } from './read-report.js';
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

  /** @param isForeign whether the value is of no known format: then it is no fault, unless other values are conversations */
  note(failure: ReadFailure, isForeign: boolean): void {
    if (!(isForeign && this.text.isMaybe)) this.report.fail(failure);
    else if (this.#foreign.length < MAX_FOREIGN) this.#foreign.push(failure);
  }

  /** The text cannot be read on. */
  breakOff(reason: string): void {
    this.note({ place: this.text.name ?? 'the file', title: null, format: null, reason }, true);
  }

  end(): void {
    const { name, isMaybe } = this.text;
    if (isMaybe && this.found === 0) this.report.notes.add(`${name ?? 'a file'} holds no conversations`);
    else for (const failure of this.#foreign) this.report.fail(failure);
  }
}

/** The failure of a file in which there is nothing to read. */
export const NOTHING_FOUND: ReadFailure = {
  place: 'the file',
  title: null,
  format: null,
  reason: 'nothing in it is a conversation',
};
