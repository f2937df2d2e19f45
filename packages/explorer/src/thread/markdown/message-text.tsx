import { useContext, useEffect, useState, type MouseEvent, type ReactNode } from 'react';
import { Button } from '../../design/button.js';
import { copyText } from '../../design/copy.js';
import { keptMarkdown, renderMarkdown } from './render-markdown.js';
import { VersusContext } from './versus.js';
import './markdown.css';

/** Characters above which text is shown plain, in pages of this size. */
export const PLAIN_FROM = 20_000;

/** The text of a message as Markdown; plain when it is too long. */
export function MessageText({ text }: { text: string }): ReactNode {
  const [shown, setShown] = useState(PLAIN_FROM);
  if (text.length <= PLAIN_FROM) return <Markdown text={text} />;
  return (
    <>
      <Plain text={text.slice(0, shown)} />
      {shown < text.length && (
        <Button onClick={() => setShown(shown + 5 * PLAIN_FROM)}>
          Show more: {(text.length - shown).toLocaleString('en')} characters
        </Button>
      )}
    </>
  );
}

/** Plain until it is rendered, and when rendering fails. */
function Markdown({ text }: { text: string }): ReactNode {
  const versus = useContext(VersusContext).get(text) ?? null;
  const [rendered, setRendered] = useState({ text: '', versus, html: null as string | null });
  useEffect(() => {
    const leaving = new AbortController();
    void renderMarkdown(text, leaving.signal, versus).then((html) => setRendered({ text, versus, html }));
    return () => leaving.abort();
  }, [text, versus]);
  // A growing draft shows its last rendering until the next one.
  const html =
    keptMarkdown(text, versus) ?? (versus === rendered.versus && text.startsWith(rendered.text) ? rendered.html : null);
  if (html === null) return <Plain text={text} />;
  return <div className="markdown" dir="auto" onClick={copyCode} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The buttons of code blocks are part of the rendered HTML. */
function copyCode({ target }: MouseEvent): void {
  if (!(target instanceof HTMLElement) || !target.matches('.code-copy')) return;
  void copyText(target.parentElement?.querySelector('pre')?.textContent ?? '');
}

function Plain({ text }: { text: string }): ReactNode {
  return (
    <p className="plain" dir="auto">
      {text}
    </p>
  );
}
