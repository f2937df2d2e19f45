import { useEffect, useState, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import type { Maths } from './maths.js';

/** Nothing is loaded from elsewhere before somebody asks for it, by opening it. */
const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer noopener">
      🖼 {alt || src}
    </a>
  ),
  table: ({ children }) => (
    <div className="wide" tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
};

/** Beyond this a text is shown as it is: laying out Markdown of this length takes longer than anybody waits. */
const LONG = 100_000;

/** What somebody wrote. HTML in it is text. */
export default function Markdown({ text }: { text: string }): ReactNode {
  const maths = useMaths(text);
  if (text.length > LONG) return <p dir="auto">{text}</p>;
  return (
    <div className="markdown" dir="auto">
      <ReactMarkdown
        components={components}
        remarkPlugins={[remarkGfm, ...(maths?.remarkPlugins ?? [])]}
        rehypePlugins={maths?.rehypePlugins ?? []}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** What maths needs is large, and loaded when there is some. */
function useMaths(text: string): Maths | null {
  const [maths, setMaths] = useState<Maths | null>(null);
  const hasSome = /\$[^$\s]/.test(text);
  useEffect(() => {
    if (hasSome) void import('./maths.js').then((loaded) => setMaths(loaded));
  }, [hasSome]);
  return hasSome ? maths : null;
}
