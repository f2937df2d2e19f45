import { notify } from './toast.js';

/** Copies a text, and shows whether the browser allowed it. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ text: 'Copied', timeoutMs: 2_000 });
  } catch {
    notify({ text: 'The browser refused to copy.', isUrgent: true });
  }
}
