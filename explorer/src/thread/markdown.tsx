import { lazy, Suspense, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { words } from '../words.js';

/** What maths needs is large, and loaded when there is some. */
const Maths = lazy(() => import('./maths.js'));

/** Nothing is loaded from elsewhere before somebody asks for it, by opening it. */
const components: Components = {
  a: ({ href, children }) => <Away to={href}>{children}</Away>,
  img: ({ src, alt }) => <Away to={typeof src === 'string' ? src : undefined}>🖼 {alt || src}</Away>,
  table: ({ children }) => (
    <div className="wide" tabIndex={0} role="group" aria-label={words.table}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  code: ({ className, children }) => {
    const kind = /\bmath-(inline|display)\b/.exec(className ?? '')?.[1];
    if (kind === undefined || typeof children !== 'string') return <code className={className}>{children}</code>;
    return (
      <Suspense fallback={<code>{children}</code>}>
        <Maths tex={children} isDisplayed={kind === 'display'} />
      </Suspense>
    );
  },
};

// "$5 and $6" is no formula.
const plugins: NonNullable<Parameters<typeof ReactMarkdown>[0]['remarkPlugins']> = [
  remarkGfm,
  [remarkMath, { singleDollarTextMath: false }],
];

/** What somebody wrote. HTML in it is text. */
export default function Markdown({ text }: { text: string }): ReactNode {
  return (
    <div className="markdown" dir="auto">
      <ReactMarkdown components={components} remarkPlugins={plugins}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** What is no address is its text. */
function Away({ to, children }: { to: string | undefined; children?: ReactNode }): ReactNode {
  if (to === undefined || to === '') return <span>{children}</span>;
  return (
    <a href={to} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
