import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { keepTyped, keyOf, typedText, type TypedPlace } from './typed-text.js';

export interface Typed {
  field: RefObject<HTMLTextAreaElement | null>;
  /** The place on which a text was begun before another branch was shown; null without one. */
  begun: TypedPlace | null;
  /** Keeps what the field has. */
  keep(): void;
  /** Adds a text before what the field has: a refused one, for example. */
  putBack(text: string, to: TypedPlace): void;
  /** Takes the text of `begun` to the shown branch. */
  moveHere(): void;
}

/** The text of the field for a reply. It belongs to the branch on which it was begun, and waits there when another one is shown. */
export function useTyped(place: TypedPlace): Typed {
  const field = useRef<HTMLTextAreaElement>(null);
  const last = useRef(place);
  const [begun, setBegun] = useState<TypedPlace | null>(null);
  const key = keyOf(place);

  useLayoutEffect(() => {
    const from = last.current;
    last.current = place;
    const text = typedText(from);
    if (keyOf(from) === key) {
      // The first place.
    } else if (from.chatId === place.chatId && from.branch === null) {
      // The reply made the branch.
      keepTyped(from, '');
      keepTyped(place, joined(text, typedText(place)));
    } else {
      setBegun((before) => {
        if (from.chatId === place.chatId && text.trim() !== '') return from;
        return before !== null && before.chatId === place.chatId && keyOf(before) !== key ? before : null;
      });
    }
    if (field.current !== null) field.current.value = typedText(place);
    // The place has no other parts.
  }, [key]);

  const keep = () => keepTyped(place, field.current?.value ?? '');
  const putBack = (text: string, to: TypedPlace) => {
    const isShown = field.current !== null && keyOf(to) === keyOf(last.current);
    const whole = joined(text, isShown ? (field.current?.value ?? '') : typedText(to));
    keepTyped(to, whole);
    if (field.current !== null && isShown) field.current.value = whole;
  };
  const moveHere = () => {
    if (begun === null) return;
    const text = typedText(begun);
    keepTyped(begun, '');
    setBegun(null);
    putBack(text, place);
  };
  return { field, begun, keep, putBack, moveHere };
}

const joined = (...texts: string[]): string => texts.filter((text) => text !== '').join('\n');
