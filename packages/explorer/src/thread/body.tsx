import { useState, type ReactNode } from 'react';
import { words } from '../words.js';
import { isHidden, partsOf, shownPart } from './part.js';
import { MessageText } from './message-text.js';
import { StoredFile, StoredImage } from './stored-file.js';

/** The number of message parts per page. */
const PARTS_AT_A_TIME = 100;

interface BodyProps {
  text: string;
  data: unknown;
  /** Null until the message is saved. */
  messageId: string | null;
}

/** The content of a message; the content of a hidden message is shown on request. */
export function Body(props: BodyProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  if (!isHidden(props.data)) return <Content {...props} />;
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{words.hidden}</summary>
      {isOpen && <Content {...props} />}
    </details>
  );
}

/** The parts of a UI message, or its text; any other content as JSON. */
function Content({ text, data, messageId }: BodyProps): ReactNode {
  const [shown, setShown] = useState(PARTS_AT_A_TIME);
  const parts = partsOf(data);
  if (parts !== null) {
    const left = parts.length - shown;
    return (
      <>
        {parts.slice(0, shown).map((part, n) => (
          <PartOf key={n} part={part} messageId={messageId} />
        ))}
        {left > 0 && <button onClick={() => setShown(shown + PARTS_AT_A_TIME)}>{words.moreParts(left)}</button>}
      </>
    );
  }
  if (text !== '') return <MessageText text={text} />;
  return <Folded summary={words.data} value={data} />;
}

function PartOf({ part, messageId }: { part: unknown; messageId: string | null }): ReactNode {
  const shown = shownPart(part);
  switch (shown.kind) {
    case 'none':
      return null;
    case 'text':
      return <MessageText text={shown.text} />;
    case 'reasoning':
      return shown.text === '' ? null : (
        <details>
          <summary>{words.reasoning}</summary>
          <MessageText text={shown.text} />
        </details>
      );
    case 'source':
      return <ExternalLink url={shown.url} label={`🔗 ${shown.name ?? shown.url}`} />;
    case 'file':
      return <ExternalLink url={shown.url} label={`📎 ${shown.name ?? words.file}`} />;
    case 'image':
      return <Image url={shown.url} name={shown.name ?? words.file} />;
    case 'stored-image':
      return <StoredImage fileId={shown.fileId} name={shown.name ?? words.file} messageId={messageId} />;
    case 'stored-file':
      return <StoredFile fileId={shown.fileId} name={shown.name ?? words.file} messageId={messageId} />;
    case 'named-file':
      return <p>📎 {shown.name ?? words.file}</p>;
    case 'tool':
      return <Folded summary={words.tool(shown.name ?? '')} value={part} />;
    case 'data':
      return <Folded summary={shown.type ?? words.data} value={part} />;
  }
}

function ExternalLink({ url, label }: { url: string; label: string }): ReactNode {
  return (
    <p dir="auto">
      <a href={url} target="_blank" rel="noreferrer noopener">
        {label}
      </a>
    </p>
  );
}

/** An image in a message, shown on request. */
function Image({ url, name }: { url: string; name: string }): ReactNode {
  const [isShown, setIsShown] = useState(false);
  if (isShown) return <img src={url} alt={name} />;
  return <button onClick={() => setIsShown(true)}>{words.showImage(name)}</button>;
}

/** Data as JSON, which is serialized when it is opened. */
export function Folded({ summary, value }: { summary: string; value: unknown }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && (
        <pre dir="auto" tabIndex={0}>
          {jsonOf(value)}
        </pre>
      )}
    </details>
  );
}

/** Longer texts are truncated. */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.length > LONGEST_JSON ? `${text.slice(0, LONGEST_JSON)}…` : text;
}

/** In characters. */
const LONGEST_JSON = 100_000;
