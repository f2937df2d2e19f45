/**
 * Google Takeout's MyActivity.html, the default unless JSON is selected: the same records as a page. It is split into
 * the cells of the page, and one cell is in memory at a time.
 */
import type { FoundValue } from '../json/parsed-value.js';
import { makeStorable } from '../json/storable-text.js';
import { UnreadableError } from '../../file-values.js';
import { Parser } from 'htmlparser2';
import { shownTime } from './shown-time.js';

/** Nested elements, each of which slows the next one. */
const MAX_DEPTH = 2000;
/** A line that can only be a time, possibly in an unknown language or zone. */
const LIKE_TIME = /^(?=.*\d{4}).{6,50}\b\d{1,2}[:.]\d\d[:.]\d\d\b.{0,20}$/;

interface Link {
  name: string;
  url: string;
}

/** The text up to a line break outside of other elements. */
interface Line {
  text: string;
  links: Link[];
  /** The position of the text after it. */
  end: number;
}

type Cell = 'header' | 'content' | 'caption';

/**
 * @param html the text from the start of the cell, possibly longer than the cell
 * @param isCut whether the end of the cell can be missing
 * @returns null when the text ends before the answer does
 * @throws UnreadableError when it nests too deep
 */
function shownActivity(html: string, isCut: boolean): Record<string, unknown> | null {
  const { header, lines, details, end } = new CellReading(html);
  if (end === null && isCut) return null;
  const value = valueOf(lines, (start) => html.slice(start, end ?? html.length));
  return { header, ...value, products: [header], ...(details.length > 0 ? { details } : {}) };
}

class CellReading {
  header = '';
  readonly lines: Line[] = [];
  readonly details: Link[] = [];
  /** The end of the prompt and the answer; null when it is missing. */
  end: number | null = null;

  #depth = 0;
  #hidden = 0;
  #cell: Cell | null = null;
  #cellDepth = 0;
  #line: Line = { text: '', links: [], end: 0 };
  #link: Link | null = null;

  constructor(html: string) {
    let isOver = false;
    const parser = new Parser({
      onopentag: (name, attributes) => this.#open(name, attributes, parser.startIndex, parser.endIndex + 1),
      ontext: (text) => this.#addText(text),
      // The end of the text closes all open elements.
      onclosetag: (name) => {
        if (!isOver) this.#close(name, parser.startIndex);
      },
    });
    parser.write(html);
    isOver = true;
    parser.end();
    this.header = this.header.trim();
    if (this.end === null) this.#endLine(html.length);
  }

  #open(name: string, attributes: Record<string, string>, start: number, end: number): void {
    if (++this.#depth > MAX_DEPTH) throw new UnreadableError(`it nests deeper than ${MAX_DEPTH} elements`);
    if (name === 'script' || name === 'style') this.#hidden++;
    const cell = cellOf(attributes['class'] ?? '');
    if (cell !== null) {
      // An open element also ends here.
      this.#endCell(start);
      // A second content shows pictures of the attachments.
      if (cell === 'content' && this.end !== null) return;
      this.#cell = cell;
      this.#cellDepth = this.#depth;
      this.#line.end = end;
    } else if (name === 'a' && this.#cell !== null) {
      this.#link = { name: '', url: attributes['href'] ?? '' };
      (this.#cell === 'content' ? this.#line.links : this.details).push(this.#link);
    } else if (name === 'br' && this.#cell === 'content' && this.#depth === this.#cellDepth + 1) this.#endLine(end);
  }

  #addText(text: string): void {
    if (this.#hidden > 0) return;
    if (this.#link !== null) this.#link.name += text;
    if (this.#cell === 'header') this.header += text;
    else if (this.#cell === 'content') this.#line.text += text;
  }

  #close(name: string, start: number): void {
    if (name === 'script' || name === 'style') this.#hidden--;
    if (name === 'a') this.#link = null;
    if (this.#depth === this.#cellDepth) this.#endCell(start);
    this.#depth--;
  }

  #endCell(end: number): void {
    if (this.#cell === 'content') {
      this.#endLine(end);
      this.end = end;
    }
    this.#cell = null;
  }

  #endLine(end: number): void {
    this.lines.push({ ...this.#line, end });
    this.#line = { text: '', links: [], end };
  }
}

function cellOf(classes: string): Cell | null {
  if (/\bheader-cell\b/.test(classes)) return 'header';
  if (!/\bcontent-cell\b/.test(classes)) return null;
  return /\bmdl-typography--caption\b/.test(classes) ? 'caption' : 'content';
}

/** A title of one or more lines, attachments, the time, and then the answer. */
function valueOf(lines: readonly Line[], htmlFrom: (start: number) => string): Record<string, unknown> {
  const known = lines.findIndex(({ text }) => shownTime(text.trim()) !== null);
  const at = known === -1 ? lines.findIndex(({ text }) => LIKE_TIME.test(text.trim())) : known;
  const before = lines.slice(0, at === -1 ? 1 : at);
  const firstLink = before.findIndex(({ links }, n) => n > 0 && links.length > 0);
  // "Attached 1 file." precedes the first attachment.
  const counted = firstLink > 1 && /\d/.test(before[firstLink - 1]?.text ?? '') ? firstLink - 1 : firstLink;
  const titled = firstLink === -1 ? before : before.slice(0, counted);
  const links = before.flatMap((each) => each.links);
  const shown = lines[at]?.text.trim() ?? '';
  const time = shownTime(shown);
  const answer = htmlFrom((lines[at] ?? before.at(-1))?.end ?? 0).trim();
  return {
    title: titled
      .map(({ text }) => text.trim())
      .join('\n')
      .trim(),
    time: time === null ? null : new Date(time).toISOString(),
    shownTime: shown,
    ...(links.length > 0 ? { subtitles: links } : {}),
    ...(answer === '' ? {} : { safeHtmlItem: [{ html: answer }] }),
  };
}

const CELL = '<div class="outer-cell';
/** Characters before the first cell, mostly styles. */
const MAX_HEAD = 4 * 1024 * 1024;
/** Characters of a cell: more than a message may have. */
const MAX_CELL = 4 * 1024 * 1024;

/** @throws UnreadableError when it has no activities */
export async function* shownActivities(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FoundValue> {
  const decoder = new TextDecoder();
  let number = 0;
  let text = '';
  let leftOut = 0;
  let searched = 0;
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    for (let next = text.indexOf(CELL, searched); next !== -1; next = text.indexOf(CELL, searched)) {
      const before = number > 0 ? activityIn(text.slice(0, next), number, leftOut > 0) : null;
      if (before !== null) yield before;
      number++;
      text = text.slice(next);
      leftOut = 0;
      searched = CELL.length;
    }
    searched = Math.max(searched, text.length - CELL.length);
    if (number === 0 || text.length > MAX_CELL) {
      // The mark of the next cell can start in the dropped text.
      leftOut += searched;
      text = text.slice(searched);
      searched = 0;
    }
    if (number === 0 && leftOut > MAX_HEAD) break;
  }
  if (number === 0) throw new UnreadableError("It is HTML, and not that of Takeout's activity");
  const isWhole = /<\/html>\s*$/i.test(text.slice(-1024));
  const last = activityIn(text, number, leftOut > 0, !isWhole);
  if (last !== null) yield last;
  if (!isWhole) yield { place: placeOf(number), fault: 'it breaks off before its end; nothing after it was read' };
}

function activityIn(html: string, number: number, isTooLarge: boolean, isCut = false): FoundValue | null {
  const place = placeOf(number);
  if (isTooLarge) return { place, fault: 'it is too large to be read' };
  try {
    const activity = shownActivity(html, isCut);
    if (activity === null) return null;
    const { value, changed } = makeStorable(activity);
    return { place, value, bytes: Buffer.byteLength(html), isLazy: false, textsChanged: () => changed };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { place, fault: error.message };
  }
}

function placeOf(number: number): string {
  return `activity ${number}`;
}
