import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Button } from './design/button.js';

interface TextPromptProps {
  /** The label of the button. */
  action: string;
  /** The label of the text field. */
  label: string;
  /** The initial text. */
  value?: string;
  /** The only accepted text, to confirm an irreversible action. */
  expected?: string;
  onAnswer(text: string): void;
}

/** A button that opens a form for one text. */
export function TextPrompt({ action, label, value = '', expected, onAnswer }: TextPromptProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // After the form closes, the keyboard focus returns to the button.
    if (!isOpen && wasOpen.current && document.activeElement === document.body) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (!isOpen) {
    return (
      <Button ref={button} onClick={() => setIsOpen(true)}>
        {action}
      </Button>
    );
  }
  const pattern = expected?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const answer = (form: FormData) => {
    const text = form.get('text');
    if (typeof text !== 'string' || text.trim() === '') return;
    setIsOpen(false);
    onAnswer(text);
  };
  return (
    <form
      action={answer}
      className="text-prompt"
      onKeyDown={({ key }) => {
        if (key === 'Escape') setIsOpen(false);
      }}
    >
      <label htmlFor={id}>{label}</label>
      <input
        {...{ id, pattern }}
        name="text"
        defaultValue={value}
        required
        autoFocus
        dir="auto"
        title={expected}
        autoComplete="off"
      />
      <Button type="submit">{action}</Button>
      <Button onClick={() => setIsOpen(false)}>Cancel</Button>
    </form>
  );
}
