import { Dialog } from '@base-ui/react/dialog';
import { useId, useState, type ReactNode } from 'react';
import { useQuestion } from './ask.js';
import { Button } from './button.js';
import './popups.css';

/** The dialog of `ask`. */
export default function AskDialog(): ReactNode {
  const current = useQuestion();
  /** Keeps the content while the dialog closes. */
  const [shown, setShown] = useState(current);
  if (current !== null && current !== shown) setShown(current);
  const id = useId();
  const close = (text: string | null) => current?.answer(text);
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
              <Button onClick={() => close(null)}>Cancel</Button>
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
