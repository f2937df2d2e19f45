/** An activity as MyActivity.html shows it, made into what MyActivity.json has of it. */
import { Parser } from 'htmlparser2';
import { UnreadableError } from '../unreadable.js';
import { shownTime } from './shown-time.js';

/** Elements in one another, each of which makes the next one slower to read. */
const MAX_DEPTH = 2000;
/** A line that can only be a time, though one in a language or a zone that is not known. */
const LIKE_TIME = /^(?=.*\d{4}).{6,50}\b\d{1,2}[:.]\d\d[:.]\d\d\b.{0,20}$/;

interface Link {
  name: string;
  url: string;
}

/** What stands up to a line break that is in nothing else. */
interface Line {
  text: string;
  links: Link[];
  /** Where what comes after it begins. */
  end: number;
}

type Cell = 'header' | 'content' | 'caption';

/**
 * @param html from the beginning of its cell, maybe with more than its end
 * @param isCut whether it may lack its end
 * @returns null when it was cut before the end of its answer
 * @throws UnreadableError when it nests too deep
 */
export function shownActivity(html: string, isCut: boolean): Record<string, unknown> | null {
  const { header, lines, details, end } = new CellReading(html);
  if (end === null && isCut) return null;
  const value = valueOf(lines, (start) => html.slice(start, end ?? html.length));
  return { header, ...value, products: [header], ...(details.length > 0 ? { details } : {}) };
}

class CellReading {
  header = '';
  readonly lines: Line[] = [];
  readonly details: Link[] = [];
  /** Where what was asked and answered ends; null where that is not there. */
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
      ontext: (text) => this.#hear(text),
      // At the end of the text everything is closed that was not.
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
      // What was not closed ends here, too.
      this.#endCell(start);
      // A second content shows pictures of what was attached.
      if (cell === 'content' && this.end !== null) return;
      this.#cell = cell;
      this.#cellDepth = this.#depth;
      this.#line.end = end;
    } else if (name === 'a' && this.#cell !== null) {
      this.#link = { name: '', url: attributes['href'] ?? '' };
      (this.#cell === 'content' ? this.#line.links : this.details).push(this.#link);
    } else if (name === 'br' && this.#cell === 'content' && this.#depth === this.#cellDepth + 1) this.#endLine(end);
  }

  #hear(text: string): void {
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

/** A title of one or more lines, what was attached, the time, and after it the answer. */
function valueOf(lines: readonly Line[], htmlFrom: (start: number) => string): Record<string, unknown> {
  const known = lines.findIndex(({ text }) => shownTime(text.trim()) !== null);
  const at = known === -1 ? lines.findIndex(({ text }) => LIKE_TIME.test(text.trim())) : known;
  const before = lines.slice(0, at === -1 ? 1 : at);
  const firstLink = before.findIndex(({ links }, n) => n > 0 && links.length > 0);
  // "Attached 1 file." stands before the first of them.
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
