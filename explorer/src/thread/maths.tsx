import katex from 'katex';
import type { ReactNode } from 'react';

/**
 * A formula, as MathML: it needs neither fonts nor styles, and the page's policy allows no styles in what is written. KaTeX
 * writes nothing that runs, whatever it is given, as long as it trusts nobody. What is no formula is shown as it is.
 */
export default function Maths({ tex, isDisplayed }: { tex: string; isDisplayed: boolean }): ReactNode {
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
