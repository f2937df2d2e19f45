import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { words } from './words.js';

interface AskedProps {
  /** What the button says that asks. */
  says: string;
  /** What is wanted: a label. */
  label: string;
  /** What stands there to begin with. */
  value?: string;
  isLong?: boolean;
  /** Only this text is taken: what cannot be undone is typed. */
  expected?: string;
  onAnswer(text: string): void;
}

/** A button that asks for a text before it does anything. */
export function Asked({ says, label, value = '', isLong = false, expected, onAnswer }: AskedProps): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const hasAsked = useRef(false);
  useEffect(() => {
    // Who works with the keyboard goes on where they were.
    if (!isAsking && hasAsked.current && document.activeElement === document.body) button.current?.focus();
    hasAsked.current = isAsking;
  }, [isAsking]);
  if (!isAsking) {
    return (
      <button ref={button} onClick={() => setIsAsking(true)}>
        {says}
      </button>
    );
  }
  const pattern = expected?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const answer = (form: FormData) => {
    const text = form.get('text');
    if (typeof text !== 'string' || text.trim() === '') return;
    setIsAsking(false);
    onAnswer(text);
  };
  const field = { id, name: 'text', defaultValue: value, required: true, autoFocus: true, dir: 'auto' } as const;
  return (
    <form
      action={answer}
      className="asked"
      onKeyDown={({ key }) => {
        if (key === 'Escape') setIsAsking(false);
      }}
    >
      <label htmlFor={id}>{label}</label>
      {isLong ? (
        <textarea {...field} rows={4} />
      ) : (
        <input {...field} pattern={pattern} title={expected} autoComplete="off" />
      )}
      <button>{says}</button>
      <button type="button" onClick={() => setIsAsking(false)}>
        {words.cancel}
      </button>
    </form>
  );
}
