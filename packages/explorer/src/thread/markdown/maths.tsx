import type katex from 'katex';
import type { ReactNode } from 'react';

let renderer: typeof katex | undefined;

/** Loads KaTeX for a text with formulas: it is larger than all other code of a thread. Without it, formulas stay code. */
export async function loadMaths(text: string): Promise<void> {
  if (renderer !== undefined || !/\$\$|[`~]{3,} *math/.test(text)) return;
  renderer = await import('katex').then(
    (loaded) => loaded.default,
    () => undefined,
  );
}

/**
 * A formula as MathML, which needs neither fonts nor inline styles, which the page's policy forbids. With `trust:
 * false`, KaTeX writes no scripts. An invalid formula is shown as text.
 */
export function Maths({ tex, isDisplayed }: { tex: string; isDisplayed: boolean }): ReactNode {
  const html = mathmlOf(tex, isDisplayed);
  if (html === null) return <code>{tex}</code>;
  return <span className="maths" dangerouslySetInnerHTML={{ __html: html }} />;
}

function mathmlOf(tex: string, displayMode: boolean): string | null {
  if (renderer === undefined) return null;
  try {
    const html = renderer.renderToString(tex, {
      output: 'mathml',
      displayMode,
      trust: false,
      strict: false,
      maxExpand: 1000,
    });
    // Texts have escaped quotes: these are attributes, such as a border.
    return html.replace(/ style="[^"]*"/g, '');
  } catch {
    return null;
  }
}
