/** The reading place of a thread, in the entry of the browser's history: reload and back return to it. */

export interface ReadingPlace {
  /** The first visible message. */
  id: string;
  /** The distance of the upper edge of the list to the beginning of the message, in pixels. */
  offset: number;
}

/** The place of the current entry; null for the end of the thread, or the message of the URL. */
export function readingPlace(): ReadingPlace | null {
  const { reading = null, hash } = (history.state ?? {}) as { reading?: ReadingPlace | null; hash?: string };
  // Chromium copies the state into the entry of another fragment.
  return hash === location.hash ? reading : null;
}

export const keepReadingPlace = (reading: ReadingPlace | null): void =>
  history.replaceState({ reading, hash: location.hash }, '');

/** @param messages the elements of the messages, with the prefix `message-` in their ids */
export function firstVisible(messages: readonly HTMLElement[]): ReadingPlace | null {
  const top = messages[0]?.closest('[data-virtuoso-scroller]')?.getBoundingClientRect().top ?? 0;
  const first = messages.find((message) => message.getBoundingClientRect().bottom > top);
  return first === undefined
    ? null
    : { id: first.id.replace(/^message-/, ''), offset: Math.round(top - first.getBoundingClientRect().top) };
}
