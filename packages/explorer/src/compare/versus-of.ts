/** The texts of a message beside those of another version. */
import type { Step } from '../requests/use-path.js';
import { PLAIN_FROM } from '../thread/markdown/message-text.js';
import type { Versus } from '../thread/markdown/versus.js';
import { isHidden, partsOf, shownPart } from '../thread/part.js';

export interface Compared {
  texts: ReadonlyMap<string, Versus>;
  /** Whether a text is too long for a comparison of words. */
  isTooLong: boolean;
}

export const NOT_COMPARED: Compared = { texts: new Map(), isTooLong: false };

/** Compares the texts of both messages in their order. A text without a counterpart is all new. */
export function versusOf(step: Step, other: Step, side: Pick<Versus, 'isNewer' | 'isForced'>): Compared {
  if (isHidden(step.data) || isHidden(other.data)) return NOT_COMPARED;
  const [own, others] = [textsOf(step), textsOf(other)];
  const isDifferent = own.length !== others.length || own.some((text, n) => text !== others[n]);
  if (isDifferent && [...own, ...others].some(({ length }) => length > PLAIN_FROM)) {
    return { texts: NOT_COMPARED.texts, isTooLong: true };
  }
  const pairs = own.map((text, n) => ({ text, other: others[n] ?? '' })).filter((pair) => pair.text !== pair.other);
  return {
    texts: new Map(
      pairs.map(({ text, other: its }) => [text, { other: its, ...side, isForced: side.isForced || its === '' }]),
    ),
    isTooLong: false,
  };
}

/** The texts that the body of a message shows as Markdown. */
const textsOf = ({ text, data }: Step): string[] =>
  partsOf(data)?.flatMap((part) => {
    const shown = shownPart(part);
    return shown.kind === 'text' ? [shown.text] : [];
  }) ?? [text];
