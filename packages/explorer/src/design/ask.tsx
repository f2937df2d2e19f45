import { Dialog } from '@base-ui/react/dialog';
import { useId, useState, useSyncExternalStore, type ReactNode } from 'react';
import { words } from '../words.js';
import { Button } from './button.js';
import './popups.css';

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

let asked: { question: Question; answer(text: string | null): void } | null = null;
const listeners = new Set<() => void>();

/** Opens a dialog for one text. @returns the text; null when the user cancels */
export function ask(question: Question): Promise<string | null> {
  asked?.answer(null);
  return new Promise((resolve) => {
    asked = { question, answer: resolve };
    listeners.forEach((listener) => listener());
  });
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The dialog of `ask`. */
export function AskDialog(): ReactNode {
  const current = useSyncExternalStore(follow, () => asked);
  /** Keeps the content while the dialog closes. */
  const [shown, setShown] = useState(current);
  if (current !== null && current !== shown) setShown(current);
  const id = useId();
  const close = (text: string | null) => {
    current?.answer(text);
    asked = null;
    listeners.forEach((listener) => listener());
  };
  if (shown === null) return null;
  const { title, label, action = title, value = '', isLong = false, expected } = shown.question;
  const pattern = expected?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const field = { id, name: 'text', defaultValue: value, required: true, autoFocus: true, dir: 'auto' } as const;
  return (
    <Dialog.Root open={current !== null} onOpenChange={(isOpen) => !isOpen && close(null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{title}</Dialog.Title>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const text = new FormData(event.currentTarget).get('text');
              if (typeof text === 'string' && text.trim() !== '') close(text);
            }}
          >
            <label htmlFor={id}>{label}</label>
            {isLong ? (
              <textarea {...field} rows={8} />
            ) : (
              <input {...field} pattern={pattern} title={expected} autoComplete="off" />
            )}
            <footer>
              <Button onClick={() => close(null)}>{words.cancel}</Button>
              <Button type="submit" tone={expected === undefined ? 'accent' : 'danger'}>
                {action}
              </Button>
            </footer>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
