import {
  ArrowRight,
  Braces,
  Brain,
  ChevronDown,
  EyeOff,
  Image as ImageIcon,
  Link,
  LoaderCircle,
  Paperclip,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { copyText } from '../design/copy.js';
import { counted, seconds } from '../words.js';
import { isHidden, partsOf, shownPart, toolFields, unansweredCall, type ShownPart } from './part.js';
import { MessageText } from './markdown/message-text.js';
import { StoredFile, StoredImage } from './stored-file.js';
import './body.css';

/** The number of message parts per page. */
const PARTS_AT_A_TIME = 100;

/** As many tool calls in a row are one line. */
const MIN_FOLDED_CALLS = 3;

const NONE: ReadonlySet<string> = new Set();

interface BodyProps {
  text: string;
  data: unknown;
  /** Null until the message is saved. */
  messageId: string | null;
  /** The ids of tool calls that are shown with their results, in other messages. */
  answeredCalls?: ReadonlySet<string>;
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
function Content({ text, data, messageId, answeredCalls = NONE }: BodyProps): ReactNode {
  const [shown, setShown] = useState(PARTS_AT_A_TIME);
  const parts = partsOf(data)?.filter((part) => !answeredCalls.has(unansweredCall(part) ?? ''));
  if (parts !== undefined) {
    const left = parts.length - shown;
    return (
      <>
        {inRows(parts.slice(0, shown)).map((row, n) =>
          row.length < MIN_FOLDED_CALLS ? (
            row.map((part, at) => <PartOf key={`${n} ${at}`} part={part} messageId={messageId} />)
          ) : (
            <ToolCards key={n} parts={row} />
          ),
        )}
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

/** Parts, with the tool calls in a row together. */
function inRows(parts: readonly unknown[]): unknown[][] {
  const rows: unknown[][] = [];
  let wasTool = false;
  for (const part of parts) {
    const { kind } = shownPart(part);
    if (kind === 'none') continue;
    const isTool = kind === 'tool';
    if (isTool && wasTool) rows.at(-1)?.push(part);
    else rows.push([part]);
    wasTool = isTool;
  }
  return rows;
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

/** The tool calls of a row. */
function ToolCards({ parts }: { parts: readonly unknown[] }): ReactNode {
  const calls = parts.map((part) => ({ part, shown: shownPart(part) })).filter(isToolCall);
  const durations = calls.flatMap(({ shown: { durationMs } }) => durationMs ?? []);
  const states = calls.map(({ shown }) => shown.state);
  return (
    <Card
      icon={Wrench}
      title={counted(calls.length, 'tool call')}
      state={states.find((state) => state === 'running') ?? states.find((state) => state === 'failed')}
      detail={durations.length === 0 ? null : seconds(durations.reduce((sum, ms) => sum + ms, 0))}
    >
      {calls.map(({ part, shown }, n) => (
        <ToolCard key={n} shown={shown} part={part} />
      ))}
    </Card>
  );
}

type ToolShown = Extract<ShownPart, { kind: 'tool' }>;

const isToolCall = (call: { part: unknown; shown: ShownPart }): call is { part: unknown; shown: ToolShown } =>
  call.shown.kind === 'tool';

/** A call with its input and output. */
function ToolCard({ shown, part }: { shown: ToolShown; part: unknown }): ReactNode {
  const { name, state, excerpt, result, durationMs } = shown;
  const detail = durationMs === null ? (state === 'done' ? null : state) : seconds(durationMs);
  const fields = toolFields(part);
  return (
    <Card icon={Wrench} title={<code>{name}</code>} {...{ excerpt, result, state, detail }}>
      {fields.length === 0 && <Json value={part} />}
      {fields.map(([label, value]) => (
        <section key={label} aria-label={label}>
          <p className="row">
            {label}
            <button type="button" onClick={() => void copyText(jsonOf(value))}>
              Copy {label.toLowerCase()}
            </button>
          </p>
          <Json value={value} />
        </section>
      ))}
    </Card>
  );
}

interface CardProps {
  icon: LucideIcon;
  title: ReactNode;
  /** The beginnings of an input and its output. */
  excerpt?: string | null;
  result?: string | null;
  state?: ToolShown['state'] | undefined;
  /** A short text at the end. */
  detail?: string | null;
  /** Rendered when the card is opened. */
  children: ReactNode;
}

/** A part that is collapsed to one line. */
function Card({ icon: Icon, title, excerpt, result, state, detail, children }: CardProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      className="card panel"
      data-state={state ?? undefined}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>
        <Icon aria-hidden />
        <b dir="auto" className="ellipsis">
          {title}
        </b>
        {excerpt != null && (
          <span dir="auto" className="ellipsis card-input">
            {excerpt}
          </span>
        )}
        {result != null && (
          <>
            <ArrowRight aria-label="gives" className="card-gives" />
            <span dir="auto" className="ellipsis card-output">
              {result}
            </span>
          </>
        )}
        {detail != null && <small>{detail}</small>}
        {state === 'running' && <LoaderCircle aria-hidden className="spinner" />}
        <ChevronDown aria-hidden className="card-arrow" />
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
