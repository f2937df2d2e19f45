/** Questions to the user. Their dialog loads with the first one. */
import { useSyncExternalStore } from 'react';

export interface Question {
  /** The heading of the dialog. */
  title: string;
  /** The label of the text field. */
  label: string;
  /** The label of the button; the heading by default. */
  action?: string;
  /** The initial text. */
  value?: string;
  isLong?: boolean;
  /** The only accepted text, to confirm an irreversible action. */
  expected?: string;
}

export interface AskedQuestion {
  question: Question;
  /** @param text null when the user cancels */
  answer(text: string | null): void;
}

let asked: AskedQuestion | null = null;
const listeners = new Set<() => void>();

/** Opens a dialog for one text. @returns the text; null when the user cancels */
export function ask(question: Question): Promise<string | null> {
  asked?.answer(null);
  return new Promise((resolve) => {
    set({
      question,
      answer: (text) => {
        set(null);
        resolve(text);
      },
    });
  });
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: AskedQuestion | null): void {
  asked = next;
  listeners.forEach((listener) => listener());
}

/** The open question; null without one. */
export const useQuestion = (): AskedQuestion | null => useSyncExternalStore(follow, () => asked);
