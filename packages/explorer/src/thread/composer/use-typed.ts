import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { keepTyped, keyOf, typedElsewhere, typedText, type TypedPlace } from './typed-text.js';

export interface Typed {
  field: RefObject<HTMLTextAreaElement | null>;
  /** A place of the chat that is not shown and has an unsent text; null without one. */
  begun: TypedPlace | null;
  /** Stores the text of the field. */
  keep(): void;
  /** Inserts a text, such as a refused message, before the text of the field. */
  putBack(text: string, to: TypedPlace): void;
  /** Moves the text of `begun` to the shown branch. */
  moveHere(): void;
}

/** The unsent text of each branch. */
export function useTyped(place: TypedPlace): Typed {
  const field = useRef<HTMLTextAreaElement>(null);
  const last = useRef(place);
  const [begun, setBegun] = useState<TypedPlace | null>(null);
  const key = keyOf(place);

  useLayoutEffect(() => {
    const from = last.current;
    last.current = place;
    if (from.chatId === place.chatId && from.branchId === null && place.branchId !== null) {
      // The reply created the branch.
      const text = typedText(from);
      keepTyped(from, '');
      keepTyped(place, joined(text, typedText(place)));
    }
    if (field.current !== null) field.current.value = typedText(place);
    setBegun(typedElsewhere(place));
  }, [key]);

  const keep = () => keepTyped(place, field.current?.value ?? '');
  const putBack = (text: string, to: TypedPlace) => {
    const isShown = field.current !== null && keyOf(to) === keyOf(last.current);
    const whole = joined(text, isShown ? (field.current?.value ?? '') : typedText(to));
    keepTyped(to, whole);
    if (field.current !== null && isShown) field.current.value = whole;
    setBegun(typedElsewhere(last.current));
  };
  const moveHere = () => {
    if (begun === null) return;
    const text = typedText(begun);
    keepTyped(begun, '');
    putBack(text, place);
  };
  return { field, begun, keep, putBack, moveHere };
}

const joined = (...texts: string[]): string => texts.filter((text) => text !== '').join('\n');
