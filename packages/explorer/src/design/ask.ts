/** Questions to the user. Their dialog loads with the first one. */
import { SharedValue } from '../browser/shared-value.js';

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

const asked = new SharedValue<AskedQuestion | null>(null);

/** Opens a dialog for one text. @returns the text; null when the user cancels */
export function ask(question: Question): Promise<string | null> {
  asked.get()?.answer(null);
  return new Promise((resolve) => {
    asked.set({
      question,
      answer: (text) => {
        asked.set(null);
        resolve(text);
      },
    });
  });
}

/** The open question; null without one. */
export const useQuestion = asked.use;
