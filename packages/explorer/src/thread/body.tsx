import {
  Braces,
  Brain,
  ChevronRight,
  EyeOff,
  Image as ImageIcon,
  Link,
  Paperclip,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { isHidden, partsOf, shownPart, type ShownPart } from './part.js';
import { MessageText } from './markdown/message-text.js';
import { StoredFile, StoredImage } from './stored-file.js';
import './body.css';

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
  if (!isHidden(props.data)) return <Content {...props} />;
  return (
    <Card icon={EyeOff} title="Hidden message">
      <Content {...props} />
    </Card>
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
        {left > 0 && (
          <Button onClick={() => setShown(shown + PARTS_AT_A_TIME)}>
            Show more: {left.toLocaleString('en')} parts
          </Button>
        )}
      </>
    );
  }
  if (text !== '') return <MessageText text={text} />;
  return <Folded summary="Data" value={data} />;
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
        <Card icon={Brain} title="Thinking">
          <MessageText text={shown.text} />
        </Card>
      );
    case 'source':
      return <ExternalLink icon={Link} url={shown.url} label={shown.name ?? shown.url} />;
    case 'file':
      return <ExternalLink icon={Paperclip} url={shown.url} label={shown.name ?? 'file'} />;
    case 'image':
      return <Image url={shown.url} name={shown.name ?? 'file'} />;
    case 'stored-image':
      return <StoredImage fileId={shown.fileId} name={shown.name ?? 'file'} messageId={messageId} />;
    case 'stored-file':
      return <StoredFile fileId={shown.fileId} name={shown.name ?? 'file'} messageId={messageId} />;
    case 'named-file':
      return (
        <p className="chip">
          <Paperclip aria-hidden />
          {shown.name ?? 'file'}
        </p>
      );
    case 'tool':
      return <ToolCard shown={shown} part={part} />;
    case 'data':
      return <Folded summary={shown.type ?? 'Data'} value={part} />;
  }
}

function ToolCard({ shown, part }: { shown: Extract<ShownPart, { kind: 'tool' }>; part: unknown }): ReactNode {
  const { name, state, excerpt, duration } = shown;
  return (
    <Card icon={Wrench} title={<code>{name}</code>} excerpt={excerpt} state={state} detail={duration ?? state}>
      <Json value={part} />
    </Card>
  );
}

interface CardProps {
  icon: LucideIcon;
  title: ReactNode;
  excerpt?: string | null;
  state?: 'running' | 'done' | 'failed' | null;
  /** A short text at the end. */
  detail?: string | null;
  /** Rendered when the card is opened. */
  children: ReactNode;
}

/** A part that is collapsed to one line. */
function Card({ icon: Icon, title, excerpt = null, state = null, detail = null, children }: CardProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="card panel" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="row">
        <Icon aria-hidden />
        <b dir="auto">{title}</b>
        {excerpt !== null && (
          <span dir="auto" className="ellipsis">
            {excerpt}
          </span>
        )}
        {detail !== null && <small data-state={state ?? undefined}>{detail}</small>}
        <ChevronRight aria-hidden className="card-arrow" />
      </summary>
      {isOpen && <div className="card-content">{children}</div>}
    </details>
  );
}

interface ExternalLinkProps {
  icon: LucideIcon;
  url: string;
  label: string;
}

function ExternalLink({ icon: Icon, url, label }: ExternalLinkProps): ReactNode {
  return (
    <a className="chip" href={url} target="_blank" rel="noreferrer noopener" dir="auto">
      <Icon aria-hidden />
      {label}
    </a>
  );
}

/** An image in a message, shown on request. */
function Image({ url, name }: { url: string; name: string }): ReactNode {
  const [isShown, setIsShown] = useState(false);
  if (isShown) return <img src={url} alt={name} />;
  return (
    <Button icon={ImageIcon} onClick={() => setIsShown(true)}>
      Show the image {name}
    </Button>
  );
}

/** Data as JSON, which is serialized when it is opened. */
function Folded({ summary, value }: { summary: string; value: unknown }): ReactNode {
  return (
    <Card icon={Braces} title={summary}>
      <Json value={value} />
    </Card>
  );
}

function Json({ value }: { value: unknown }): ReactNode {
  return (
    <pre dir="auto" tabIndex={0}>
      {jsonOf(value)}
    </pre>
  );
}

/** Longer texts are truncated. */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.length > LONGEST_JSON ? `${text.slice(0, LONGEST_JSON)}…` : text;
}

/** In characters. */
const LONGEST_JSON = 100_000;
