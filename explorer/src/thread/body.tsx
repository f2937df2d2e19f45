import { useState, type ReactNode } from 'react';
import { words } from '../words.js';
import { SaidText } from './said-text.js';

/** What a message says: the parts of a UI message, or its text; whatever else it is as JSON. */
export function Body({ text, data }: { text: string; data: unknown }): ReactNode {
  const parts = partsOf(data);
  if (parts !== null) return parts.map((part, n) => <PartOf key={n} part={part} />);
  if (text !== '') return <SaidText text={text} />;
  return <Folded summary={words.data} value={data} />;
}

/** Of a UI message. */
interface Part {
  type: string;
  text?: unknown;
  url?: unknown;
  title?: unknown;
  filename?: string;
  mediaType?: string;
  toolName?: string;
}

function partsOf(data: unknown): Part[] | null {
  const { parts } = (typeof data === 'object' && data !== null ? data : {}) as { parts?: unknown };
  if (!Array.isArray(parts) || parts.length === 0) return null;
  const isPart = (part: unknown): part is Part =>
    typeof part === 'object' && part !== null && typeof (part as Part).type === 'string';
  return parts.every(isPart) ? parts : null;
}

function PartOf({ part }: { part: Part }): ReactNode {
  const { type, text, url } = part;
  if (type === 'text' && typeof text === 'string') return <SaidText text={text} />;
  if (type === 'reasoning' && typeof text === 'string') {
    return text === '' ? null : (
      <details>
        <summary>{words.reasoning}</summary>
        <SaidText text={text} />
      </details>
    );
  }
  if (type === 'step-start') return null;
  if (type === 'source-url' && isElsewhere(url)) {
    return <Elsewhere url={url} says={`🔗 ${typeof part.title === 'string' ? part.title : url}`} />;
  }
  if (type === 'file' && typeof url === 'string') return <File part={part} url={url} />;
  if (type.startsWith('tool-') || type === 'dynamic-tool') {
    return <Folded summary={words.tool(part.toolName ?? type.slice('tool-'.length))} value={part} />;
  }
  return <Folded summary={type} value={part} />;
}

const isElsewhere = (url: unknown): url is string => typeof url === 'string' && /^https?:/i.test(url);

function Elsewhere({ url, says }: { url: string; says: string }): ReactNode {
  return (
    <p dir="auto">
      <a href={url} target="_blank" rel="noreferrer noopener">
        {says}
      </a>
    </p>
  );
}

/** A file by its link. What is in the message itself is shown when asked for; what is elsewhere is opened there. */
function File({ part: { filename, mediaType }, url }: { part: Part; url: string }): ReactNode {
  const [isShown, setIsShown] = useState(false);
  const name = filename ?? mediaType ?? words.file;
  if (isElsewhere(url)) return <Elsewhere url={url} says={`📎 ${name}`} />;
  if (!/^data:image\/(png|jpeg|gif|webp|avif);/i.test(url)) return <p>📎 {name}</p>;
  if (isShown) return <img src={url} alt={name} />;
  return <button onClick={() => setIsShown(true)}>{words.showImage(name)}</button>;
}

/** As JSON, which is made when it is opened. */
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

/** What is longer than anybody reads is cut. */
function jsonOf(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return text.length > LONGEST_JSON ? `${text.slice(0, LONGEST_JSON)}…` : text;
}

/** Characters. */
const LONGEST_JSON = 100_000;
