/** Texts that were typed and not sent, by chat and branch. This browser keeps them. */
import { readStored, writeStored } from '../../stored.js';

const KEY = 'parley-typed';
/** The characters that are kept, of the texts that were typed last: a browser gives the page some five million in all. */
const MAX_LENGTH = 2_000_000;

/** The place of a reply. */
export interface TypedPlace {
  readonly chatId: string;
  /** Null for a version without a branch. */
  readonly branch: { readonly id: string; readonly name: string } | null;
}

export const keyOf = ({ chatId, branch }: TypedPlace): string => `${chatId} ${branch?.id ?? ''}`;

function stored(): [string, string][] {
  return Object.entries(readStored(KEY) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
}

export function typedText(place: TypedPlace): string {
  return new Map(stored()).get(keyOf(place)) ?? '';
}

/** @param text empty once it was sent or cleared */
export function keepTyped(place: TypedPlace, text: string): void {
  const others = stored().filter(([key]) => key !== keyOf(place));
  const kept = text === '' ? others : [...others, [keyOf(place), text] as const];
  let length = kept.reduce((sum, [, each]) => sum + each.length, 0);
  while (length > MAX_LENGTH && kept.length > 1) length -= kept.shift()?.[1].length ?? 0;
  writeStored(KEY, Object.fromEntries(kept));
}
