import type { ReactNode } from 'react';
import { ReadExcerpt } from '../generated/operations.js';
import { useAnswer } from '../use-answer.js';
import { counted } from '../words.js';

/** Milliseconds that the pointer must rest on a message before its excerpt is read. */
const REST_MS = 120;

/** The beginning of the hovered or selected message. */
export function Excerpt({ messageId }: { messageId: string }): ReactNode {
  const read = useAnswer(ReadExcerpt, { id: messageId }, { delayMs: REST_MS })?.message;
  if (!read) return null;
  return (
    <aside className="excerpt panel popup">
      <b dir="auto">{read.name}</b> <time dateTime={read.createdAt}>{new Date(read.createdAt).toLocaleString()}</time>
      <p dir="auto">{read.preview}</p>
      {read.sources.length > 0 && (
        <>
          <small>{`draws on ${counted(read.sources.length, 'message')}`}</small>
          <ul>
            {read.sources.map(({ id, preview }) => (
              <li key={id} dir="auto">
                {preview}
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}
