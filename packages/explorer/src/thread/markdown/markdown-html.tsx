/** Renders Markdown as HTML. It runs in the worker of render-markdown.ts. */
import { isValidElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import type katex from 'katex';
import { highlighted, loadLanguages } from './highlight.js';

/** More elements, or deeper ones, would take the page too long to lay out. */
const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 100;

/** Nothing is loaded from another server until the user opens a link. */
const components: Components = {
  a: ({ href, children }) => <Away to={href}>{children}</Away>,
  img: ({ src, alt }) => <Away to={typeof src === 'string' ? src : undefined}>🖼 {alt || src}</Away>,
  table: ({ children }) => (
    <div className="wide" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  // The page's policy forbids the style attributes that align columns otherwise.
  th: ({ style, children }) => <th className={style?.textAlign}>{children}</th>,
  td: ({ style, children }) => <td className={style?.textAlign}>{children}</td>,
  pre: ({ children }) => {
    const { className = '' } = isValidElement<{ className?: string }>(children) ? children.props : {};
    // The component of code renders formulas.
    if (className.includes('math-display')) return children;
    return (
      <div className="code" dir="ltr">
        {/* The page listens for its clicks: see message-text.tsx. */}
        <button type="button" className="code-copy">
          Copy code
        </button>
        <small>{languageIn(className)}</small>
        <pre tabIndex={0}>{children}</pre>
      </div>
    );
  },
  code: ({ className, children }) => {
    const kind = /\bmath-(inline|display)\b/.exec(className ?? '')?.[1];
    if (kind === undefined || typeof children !== 'string') return <Code className={className}>{children}</Code>;
    const isBlock = children.startsWith(DISPLAYED);
    return <Maths tex={children.slice(isBlock ? DISPLAYED.length : 0)} isDisplayed={isBlock || kind === 'display'} />;
  },
};

// "$5 and $6" is no formula.
const plugins: NonNullable<Parameters<typeof ReactMarkdown>[0]['remarkPlugins']> = [
  remarkGfm,
  [remarkMath, { singleDollarTextMath: false }],
];

/**
 * The HTML of a text, without scripts and styles. HTML in the text is shown as text.
 * @returns null when the text cannot be rendered within the bounds
 */
export async function markdownHtml(text: string): Promise<string | null> {
  try {
    await Promise.all([loadLanguages(text), loadMaths(text)]);
    const html = renderToStaticMarkup(
      <ReactMarkdown components={components} remarkPlugins={plugins}>
        {withDollars(text)}
      </ReactMarkdown>,
    );
    return isBounded(html) ? html : null;
  } catch {
    return null;
  }
}

/** Begins a formula of \[ \] between dollars. */
const DISPLAYED = '\\displaystyle ';

/** Code and escaped backslashes, which stay as they are, and formulas in \( \) and \[ \]. */
const CODE_OR_FORMULA =
  /^[ >]*(?<fence>`{3,}|~{3,})[^]*?(?:^[ >]*\k<fence>|$(?![^]))|(?<ticks>`+)(?!`)[^]*?(?<!`)\k<ticks>(?!`)|\\\\|\\\((?<inline>[^]+?)\\\)|\\\[(?<display>[^]+?)\\\]/gm;

/** A text with dollars around its formulas: Markdown reads \( and \[ as escaped brackets. */
function withDollars(text: string): string {
  return text.replace(CODE_OR_FORMULA, (all: string, ...rest: unknown[]) => {
    const { inline, display } = rest.at(-1) as { inline?: string; display?: string };
    const tex = inline ?? display;
    // A formula has one paragraph. The marks of lists and quotes are no part of it.
    if (tex === undefined || /\n\s*\n/.test(tex)) return all;
    return `$$${display === undefined ? '' : DISPLAYED}${tex.replace(/\s*\n[ >]*/g, ' ').trim()}$$`;
  });
}

/** The renderers of React and KaTeX close every element, and escape `>` in attributes. */
function isBounded(html: string): boolean {
  let [elements, depth] = [0, 0];
  for (const [tag] of html.matchAll(/<[^>]*>/g)) {
    if (tag.startsWith('</')) depth--;
    else {
      if (!tag.endsWith('/>')) depth++;
      if (++elements > MAX_ELEMENTS || depth > MAX_DEPTH) return false;
    }
  }
  return true;
}

const languageIn = (className = ''): string | undefined => /\blanguage-([\w+#.-]+)/.exec(className)?.[1];

/** Code in the colours of its language, which highlight.js escapes. */
function Code({ className, children }: { className: string | undefined; children?: ReactNode }): ReactNode {
  const language = languageIn(className);
  const html = language !== undefined && typeof children === 'string' ? highlighted(children, language) : null;
  if (html === null) return <code className={className}>{children}</code>;
  return <code className={className} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** A link, or its text where it has no address. */
function Away({ to, children }: { to: string | undefined; children?: ReactNode }): ReactNode {
  if (to === undefined || to === '') return <span>{children}</span>;
  return (
    <a href={to} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

let renderer: typeof katex | undefined;

/** Loads KaTeX for a text with formulas: it is larger than all other code of a thread. Without it, formulas stay code. */
async function loadMaths(text: string): Promise<void> {
  if (renderer !== undefined || !/\$\$|\\[([]|[`~]{3,} *math/.test(text)) return;
  renderer = await import('katex').then(
    (loaded) => loaded.default,
    () => undefined,
  );
}

/**
 * A formula as MathML, which needs neither fonts nor inline styles, which the page's policy forbids. With `trust:
 * false`, KaTeX writes no scripts. An invalid formula is shown as text.
 */
function Maths({ tex, isDisplayed }: { tex: string; isDisplayed: boolean }): ReactNode {
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
