/**
 * Google Takeout's MyActivity.html, the default unless JSON is selected: the same records as a page. It is split into
 * the cells of the page, and one cell is in memory at a time.
 */
import type { FoundValue } from '../json/parsed-value.js';
import { makeStorable } from '../json/storable-text.js';
import { UnreadableError } from '../unreadable.js';
import { shownActivity } from './shown-activity.js';

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
