import { Component, lazy, Suspense, useState, type ReactNode } from 'react';
import { words } from '../words.js';

const Markdown = lazy(() => import('./markdown.js'));

/** Characters: what is longer is shown plain, so much of it at a time. */
const PLAIN_FROM = 20_000;

/** What somebody has said; what is too long for Markdown as it is. */
export function SaidText({ text }: { text: string }): ReactNode {
  const [shown, setShown] = useState(PLAIN_FROM);
  if (text.length > PLAIN_FROM) {
    return (
      <>
        <Plain text={text.slice(0, shown)} />
        {shown < text.length && (
          <button onClick={() => setShown(shown + 5 * PLAIN_FROM)}>{words.rest(text.length - shown)}</button>
        )}
      </>
    );
  }
  return (
    <AsItIs key={text} text={text}>
      <Suspense fallback={<Plain text={text} />}>
        <Markdown text={text} />
      </Suspense>
    </AsItIs>
  );
}

function Plain({ text }: { text: string }): ReactNode {
  return (
    <p className="plain" dir="auto">
      {text}
    </p>
  );
}

/** No text, however odd, takes the page with it. */
class AsItIs extends Component<{ text: string; children: ReactNode }, { isOdd: boolean }> {
  override state = { isOdd: false };

  static getDerivedStateFromError(): { isOdd: boolean } {
    return { isOdd: true };
  }

  override render(): ReactNode {
    return this.state.isOdd ? <Plain text={this.props.text} /> : this.props.children;
  }
}
