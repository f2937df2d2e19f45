/** Unsent texts by chat and branch, in localStorage. */
import { readStored, removeStored, storedKeys, writeStored } from '../../browser/stored.js';

const MAX_TYPED_TEXTS = 50;

/** The place of a reply. */
export interface TypedPlace {
  readonly chatId: string;
  /** Null for a version without a branch. */
  readonly branchId: string | null;
}

const PREFIX = 'parley-typed ';
const prefixOf = (chatId: string): string => `${PREFIX}${encodeURIComponent(chatId)} `;

/** Each place has its own key: tabs do not overwrite the texts of each other. */
export const keyOf = ({ chatId, branchId }: TypedPlace): string => `${prefixOf(chatId)}${branchId ?? ''}`;

function read(key: string): { text: string; time: number } {
  const { text, time } = (readStored(key) ?? {}) as { text?: unknown; time?: unknown };
  return { text: typeof text === 'string' ? text : '', time: typeof time === 'number' ? time : 0 };
}

export const typedText = (place: TypedPlace): string => read(keyOf(place)).text;

/** The keys with a prefix, the newest text first. */
const newestKeys = (prefix: string): string[] =>
  storedKeys(prefix)
    .map((key) => ({ key, time: read(key).time }))
    .sort((a, b) => b.time - a.time)
    .map(({ key }) => key);

/** The newest text of a chat on a branch that is not shown; null without one. */
export function typedElsewhere(shown: TypedPlace): TypedPlace | null {
  const { chatId } = shown;
  const prefix = prefixOf(chatId);
  const key = newestKeys(prefix).find((each) => each !== keyOf(shown) && read(each).text.trim() !== '');
  return key === undefined ? null : { chatId, branchId: key.slice(prefix.length) || null };
}

/** @param text empty after it was sent or cleared */
export function keepTyped(place: TypedPlace, text: string): void {
  const key = keyOf(place);
  if (text === '') return removeStored(key);
  if (readStored(key) === null)
    newestKeys(PREFIX)
      .slice(MAX_TYPED_TEXTS - 1)
      .forEach(removeStored);
  while (!writeStored(key, { text, time: Date.now() })) {
    const oldest = newestKeys(PREFIX).findLast((each) => each !== key);
    if (oldest === undefined) return;
    removeStored(oldest);
  }
}
