import { shellWords } from '../shell-words.js';
import { notify } from './toast.js';

/** Copies a text, and shows whether the browser allowed it. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ text: shellWords.copied, timeoutMs: 2_000 });
  } catch {
    notify({ text: shellWords.notCopied, isUrgent: true });
  }
}
