import katex from 'katex';
import type { ReactNode } from 'react';

/**
 * A formula as MathML, which needs neither fonts nor styles: the page's policy forbids inline styles. KaTeX writes nothing
 * that runs as long as `trust` is false. A text that is no formula is shown as it is.
 */
export function Maths({ tex, isDisplayed }: { tex: string; isDisplayed: boolean }): ReactNode {
  const html = mathmlOf(tex, isDisplayed);
  if (html === null) return <code>{tex}</code>;
  return <span className="maths" dangerouslySetInnerHTML={{ __html: html }} />;
}

function mathmlOf(tex: string, displayMode: boolean): string | null {
  try {
    const html = katex.renderToString(tex, {
      output: 'mathml',
      displayMode,
      trust: false,
      strict: false,
      maxExpand: 1000,
    });
    // Quotes in texts are escaped: these are attributes, as of a frame around something.
    return html.replace(/ style="[^"]*"/g, '');
  } catch {
    return null;
  }
}
