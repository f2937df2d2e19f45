import { useEffect, useRef } from 'react';

/** Handlers by key; `mod+` is Ctrl, or ⌘ on a Mac. Keys without it have no effect in text fields. */
export function useShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
      const isModified = ctrlKey || metaKey;
      const handler = current.current[isModified ? `mod+${key.toLowerCase()}` : key];
      const isTyped = target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
      if (handler === undefined || event.defaultPrevented || altKey) return;
      // With Shift, they are the browser's.
      if (isModified ? shiftKey : isTyped) return;
      event.preventDefault();
      handler();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
