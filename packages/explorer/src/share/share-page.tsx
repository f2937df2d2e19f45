import { useEffect, useState, type ReactNode } from 'react';
import { referencedFileId } from '@parley/client/files';
import { Button } from '../design/button.js';
import { Body } from '../thread/body.js';
import { ROLE_NAMES } from '../thread/message-header.js';
import { useRead } from '../use-read.js';
import './share.css';

const INVALID = 'This link is invalid, expired or revoked.';
const UNTITLED = 'Shared conversation';

interface Read {
  share: SharedPart | null;
  messages: SharedMessage[];
}

/** The messages of a share, read-only. */
export function SharePage({ token }: { token: string }): ReactNode {
  const [read, setRead] = useState<Read | null>(null);
  /** The end of the messages that are read. */
  const [after, setAfter] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useRead(
    async (signal) => {
      const share = await readShare(token, after, signal);
      const newer = share?.messages.edges.map(({ node }) => node) ?? [];
      setFailure('');
      setRead((before) => ({ share, messages: [...(after === null ? [] : (before?.messages ?? [])), ...newer] }));
    },
    [token, after, attempt],
  );
  const title = read?.share?.title ?? UNTITLED;
  useEffect(() => {
    document.title = title;
  }, [title]);

  if (read?.share === null) return <p className="share-note">{INVALID}</p>;
  const { hasNextPage = false, endCursor = null } = read?.share?.messages.pageInfo ?? {};
  return (
    <main className="share">
      {read !== null && <h1 dir="auto">{title}</h1>}
      <ol className="messages">
        {read?.messages.map((message) => (
          <li key={message.depth} data-role={message.name}>
            <header>
              <b dir="auto">{message.name === 'user' ? 'User' : (ROLE_NAMES[message.name] ?? message.name)}</b>
              <time dateTime={message.createdAt}>{new Date(message.createdAt).toLocaleString()}</time>
            </header>
            <div className="message-body">
              <Body text={message.text} data={withoutLinks(message.data)} messageId={null} />
            </div>
          </li>
        ))}
      </ol>
      {failure !== '' && (
        <p role="alert" className="share-note">
          {failure} <Button onClick={() => setAttempt(attempt + 1)}>Try again</Button>
        </p>
      )}
      {failure === '' && read === null && <p className="share-note">Loading…</p>}
      {failure === '' && hasNextPage && endCursor !== after && (
        <Button onClick={() => setAfter(endCursor)}>Show more messages</Button>
      )}
    </main>
  );
}

/** Files on the server are shown by their names: readers cannot download them. */
function withoutLinks(data: unknown): unknown {
  const parts = typeof data === 'object' && data !== null && 'parts' in data ? data.parts : null;
  if (!Array.isArray(parts)) return data;
  return {
    parts: parts.map((part: { url?: unknown }) =>
      typeof part.url === 'string' && referencedFileId(part.url) !== null ? { ...part, url: '' } : part,
    ),
  };
}

/** Reads a share. The token is sent in the body: URLs are logged. */

interface SharedMessage {
  name: string;
  text: string;
  data: unknown;
  createdAt: string;
  depth: number;
}

interface SharedPart {
  title: string | null;
  messageCount: number;
  messages: {
    edges: { node: SharedMessage }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

const MESSAGES_AT_ONCE = 100;

const DOCUMENT = `query Shared($token: String!, $first: Int!, $after: String) {
  shared(token: $token) {
    title
    messageCount
    messages(first: $first, after: $after) {
      edges { node { name text data createdAt depth } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

/**
 * @param after the end of the messages before; null for the first ones
 * @returns null for a token that is invalid, expired or revoked
 * @throws Error with a text for the reader
 */
async function readShare(token: string, after: string | null, signal: AbortSignal): Promise<SharedPart | null> {
  const body = JSON.stringify({ query: DOCUMENT, variables: { token, first: MESSAGES_AT_ONCE, after } });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/graphql', { method: 'POST', headers, body, signal });
  const { data, errors } = (await response.json()) as {
    data?: { shared: SharedPart | null };
    errors?: { message: string }[];
  };
  if (data === undefined || errors !== undefined) throw new Error(errors?.[0]?.message ?? `HTTP ${response.status}`);
  return data.shared;
}
