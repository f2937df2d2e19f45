/** A page for React components, without a browser. */
import { Window } from 'happy-dom';
import type { ReactNode } from 'react';
import { afterAll, onTestFinished } from 'vitest';

export interface Page {
  text(): string;
  /** Presses the last enabled button with this label. False if there is none. */
  press(words: string): boolean;
  /** Types into the first or last text area. */
  type(words: string, which?: 'first' | 'last'): void;
}

const window = new Window({ url: 'http://127.0.0.1/' });
const { document } = window;
/** The parts of a browser that these components need; requests and sockets are Node's. */
const GLOBALS = [
  ...[
    'window',
    'document',
    'navigator',
    'Node',
    'Element',
    'HTMLElement',
    'HTMLIFrameElement',
    'HTMLTextAreaElement',
    'DocumentFragment',
  ],
  ...['MutationObserver', 'ResizeObserver', 'getComputedStyle', 'requestAnimationFrame', 'cancelAnimationFrame'],
];
for (const name of GLOBALS) {
  const value = (window as unknown as Record<string, unknown>)[name];
  // Newer versions of Node define some of them as read-only.
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
afterAll(() => window.happyDOM.close());

/** Renders an element until the end of the test. */
export async function openPage(component: ReactNode): Promise<Page> {
  // The components read the document when they are loaded.
  const [{ createRoot }, { flushSync }] = await Promise.all([import('react-dom/client'), import('react-dom')]);
  const element = document.createElement('div');
  document.body.append(element);
  const root = createRoot(element as unknown as Element);
  onTestFinished(() => {
    flushSync(() => root.unmount());
    element.remove();
  });
  flushSync(() => root.render(component));
  return {
    text: () => element.textContent,
    press(words) {
      const buttons = [...element.querySelectorAll('button')];
      const button = buttons.findLast(({ textContent, disabled }) => textContent === words && !disabled);
      button?.click();
      return button !== undefined;
    },
    type(words, which = 'last') {
      const area = [...element.querySelectorAll('textarea')].at(which === 'first' ? 0 : -1);
      if (area === undefined) throw new Error(`No text area in ${element.innerHTML}`);
      // Bypass React's setter, so that React sees a change as after typing.
      Object.getOwnPropertyDescriptor(window.HTMLTextAreaElement.prototype, 'value')?.set?.call(area, words);
      area.dispatchEvent(new window.Event('input', { bubbles: true }));
    },
  };
}

/** Renders on a server and hydrates the result. @returns the texts of the page, and the errors that React reports */
export async function hydratePage(onServer: ReactNode, onPage: ReactNode) {
  const [{ renderToString }, { hydrateRoot }] = await Promise.all([
    import('react-dom/server'),
    import('react-dom/client'),
  ]);
  const html = renderToString(onServer);
  const element = document.createElement('div');
  element.innerHTML = html;
  document.body.append(element);
  const texts = [element.textContent];
  const observer = new window.MutationObserver(() => {
    if (element.textContent !== texts.at(-1)) texts.push(element.textContent);
  });
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  const errors: unknown[] = [];
  const root = hydrateRoot(element as unknown as Element, onPage, {
    onRecoverableError: (error) => errors.push(error),
  });
  onTestFinished(() => {
    observer.disconnect();
    root.unmount();
    element.remove();
  });
  return { html, texts, errors };
}
