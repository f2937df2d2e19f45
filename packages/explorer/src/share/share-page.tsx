import { GitFork, Link } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { referencedFileId } from '@parley/client/files';
import { Button } from '../design/button.js';
import { chainsOf } from '../miniature/chains.js';
import { Miniature } from '../miniature/miniature.js';
import { Body } from '../thread/body.js';
import { ROLE_NAMES } from '../thread/message-header.js';
import { useRead } from '../requests/use-read.js';
import { counted } from '../words.js';
import { continueInParley } from './continuing.js';
import { PathRail } from './path-rail.js';
import { readShare, type SharedMessage, type SharedPart } from './read-share.js';

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

  const current = useCurrent(read?.messages.length ?? 0);
  if (read?.share === null) {
    return (
      <>
        <Brand />
        <main className="share">
          <p className="share-note">{INVALID}</p>
        </main>
      </>
    );
  }
  const share = read?.share;
  const { hasNextPage = false, endCursor = null } = share?.messages.pageInfo ?? {};
  return (
    <>
      <Brand>{share && <Actions token={token} />}</Brand>
      <main className="share">
        {share && (
          <header>
            <h1 dir="auto">{title}</h1>
            <p>
              Shared on <time dateTime={share.sharedAt}>{dateOf(share.sharedAt)}</time> ·{' '}
              {counted(share.messageCount, 'message')}
            </p>
          </header>
        )}
        {share && <Walk share={share} messages={read.messages} current={current} />}
        <div>
          <ol className="messages">
            {read?.messages.map((message) => (
              <li key={message.depth} id={idOf(message.depth)} tabIndex={-1} data-role={message.name}>
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
        </div>
      </main>
    </>
  );
}

function Brand({ children }: { children?: ReactNode }): ReactNode {
  return (
    <header className="share-bar row">
      <GitFork aria-hidden />
      <b>Parley</b>
      {children}
    </header>
  );
}

function Actions({ token }: { token: string }): ReactNode {
  const [copied, setCopied] = useState('Copy link');
  const copy = () =>
    navigator.clipboard.writeText(location.href).then(
      () => setCopied('Copied'),
      () => setCopied('The browser refused to copy'),
    );
  return (
    <>
      <Button icon={Link} onClick={() => void copy()}>
        <span aria-live="polite">{copied}</span>
      </Button>
      <Button tone="accent" onClick={() => continueInParley(token)}>
        Continue in Parley
      </Button>
    </>
  );
}

/** The path of the share as a graph that can be walked; on small screens a strip that opens. */
function Walk({ share, messages, current }: Read & { share: SharedPart; current: number }): ReactNode {
  const chains = useMemo(() => {
    const idAt = (depth: number) => (depth < 0 ? null : idOf(depth));
    const nodes = messages.map(({ depth, name }) => {
      return { id: idOf(depth), parentId: idAt(depth - 1), depth, role: name };
    });
    return chainsOf(nodes, [idAt(nodes.length - 1)]);
  }, [messages]);
  return (
    <aside aria-label="This conversation">
      <details open={matchMedia('(min-width: 64rem)').matches}>
        <summary>
          <b>This conversation</b>
          <Miniature chains={chains} width={150} height={20} headId={idOf(current)} />
        </summary>
        <PathRail messages={messages} current={current} onOpen={open} />
      </details>
      <p>This is a copy of {dateOf(share.sharedAt)}. Later messages are not shown.</p>
    </aside>
  );
}

function open(depth: number): void {
  const message = document.getElementById(idOf(depth));
  message?.scrollIntoView({ block: 'start' });
  message?.focus({ preventScroll: true });
}

const idOf = (depth: number): string => `message-${depth}`;

/** The depth of the message at the top of the window. @param count of the shown messages */
function useCurrent(count: number): number {
  const [current, setCurrent] = useState(0);
  useEffect(() => {
    const visible = new Set<number>();
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const depth = Number(target.id.replace(idOf(0).replace('0', ''), ''));
        if (isIntersecting) visible.add(depth);
        else visible.delete(depth);
      }
      if (visible.size > 0) setCurrent(Math.min(...visible));
    }, VISIBLE);
    for (const item of document.querySelectorAll('.messages > li')) observer.observe(item);
    return () => observer.disconnect();
  }, [count]);
  return current;
}

/** The part of the window below the bar, whose first message is the current one. */
const VISIBLE = { rootMargin: '-80px 0px -20% 0px' };

const dateOf = (time: string): string => new Date(time).toLocaleDateString(undefined, { dateStyle: 'long' });

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
