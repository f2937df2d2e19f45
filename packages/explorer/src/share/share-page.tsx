import { GitFork, Link } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { referencedFileId } from '@parley/client/files';
import { Button } from '../design/button.js';
import { Miniature } from '../miniature/miniature.js';
import { Body } from '../thread/body.js';
import { ROLE_NAMES } from '../thread/message-header.js';
import { counted } from '../words.js';
import { continueInParley } from './continuing.js';
import { graphOf, nameOf } from './branches.js';
import { laneOf, PathRail } from './path-rail.js';
import type { SharedPart } from './read-share.js';
import { useShare, type ReadShare } from './use-share.js';

const INVALID = 'This link is invalid, expired or revoked.';
const UNTITLED = 'Shared conversation';

/** The messages of a share, read-only. */
export function SharePage({ token }: { token: string }): ReactNode {
  const { read, failure, retry, readMore, open: openBranch } = useShare(token);
  const title = read?.share?.title ?? UNTITLED;
  useEffect(() => {
    document.title = title;
  }, [title]);

  const current = useCurrent(read);
  useEffect(() => {
    if (read?.from != null) open(Math.min(read.from, read.messages.length - 1));
  }, [read?.branch]);
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
  return (
    <>
      <Brand>{share && <Actions token={token} branch={read.branch} />}</Brand>
      <main className="share">
        {share && (
          <header>
            <h1 dir="auto">{title}</h1>
            <p>
              Shared{' '}
              {share.sharedBy !== null && (
                <>
                  by <bdi>{share.sharedBy}</bdi>{' '}
                </>
              )}
              on <time dateTime={share.sharedAt}>{dateOf(share.sharedAt)}</time> ·{' '}
              {counted(share.messageCount, 'message')}
            </p>
          </header>
        )}
        {share && <Walk {...read} share={share} current={current} onOpenBranch={openBranch} />}
        <div>
          <ol className="messages">
            {read?.messages.map((message, n, { [n - 1]: before }) => (
              <li key={message.depth} id={idOf(message.depth)} tabIndex={-1} data-role={message.name}>
                <header>
                  <b dir="auto" title={timeOf(message.createdAt)}>
                    {message.name === 'user' ? 'User' : (ROLE_NAMES[message.name] ?? message.name)}
                  </b>
                  {(before === undefined || dateOf(before.createdAt) !== dateOf(message.createdAt)) && (
                    <time dateTime={message.createdAt}>{timeOf(message.createdAt)}</time>
                  )}
                </header>
                <div className="message-body">
                  <Body text={message.text} data={withoutLinks(message.data)} messageId={null} />
                </div>
              </li>
            ))}
          </ol>
          {failure !== '' && (
            <p role="alert" className="share-note">
              {failure} <Button onClick={retry}>Try again</Button>
            </p>
          )}
          {failure === '' && read === null && <p className="share-note">Loading…</p>}
          {failure === '' && readMore && <Button onClick={readMore}>Show more messages</Button>}
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

function Actions({ token, branch }: { token: string; branch: string }): ReactNode {
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
      <Button tone="accent" onClick={() => continueInParley(token, branch)}>
        Continue in Parley
      </Button>
    </>
  );
}

interface WalkProps extends ReadShare {
  share: SharedPart;
  current: number;
  onOpenBranch(key: string): void;
}

/** The branches of the share as a graph that can be walked; on small screens a strip that opens. */
function Walk({ share, branch, messages, current, onOpenBranch }: WalkProps): ReactNode {
  const { branches } = share;
  const { chains, idAt } = useMemo(() => graphOf(branches, branch, messages), [branch, messages]);
  return (
    <aside aria-label="This conversation" data-branches={branches.length}>
      <details open={matchMedia('(min-width: 64rem)').matches}>
        <summary>
          <b>This conversation</b>
          <Miniature chains={chains} width={150} height={branches.length > 1 ? 56 : 20} headId={idAt(current)} />
        </summary>
        <PathRail {...{ messages, current, branches, branch, onOpenBranch }} onOpen={open} />
      </details>
      {branches.length > 1 && <Branches {...{ branches, branch, onOpenBranch }} />}
      <p>This is a copy of {dateOf(share.sharedAt)}. Later messages are not shown.</p>
    </aside>
  );
}

/** The branches by their names, with the open one. */
function Branches({
  branches,
  branch,
  onOpenBranch,
}: Pick<WalkProps, 'branch' | 'onOpenBranch'> & Pick<SharedPart, 'branches'>): ReactNode {
  return (
    <ul className="share-branches" aria-label="Branches">
      {branches.map((each) => (
        <li key={each.key}>
          <button
            data-lane={laneOf(each.key)}
            aria-current={each.key === branch ? 'true' : undefined}
            onClick={() => onOpenBranch(each.key)}
          >
            <b className="ellipsis" dir="auto">
              {nameOf(each)}
            </b>
            <small>{counted(each.messageCount, 'message')}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}

function open(depth: number): void {
  const message = document.getElementById(idOf(depth));
  message?.scrollIntoView({ block: 'start' });
  message?.focus({ preventScroll: true });
}

const idOf = (depth: number): string => `message-${depth}`;

/** The depth of the message at the top of the window. */
function useCurrent(read: ReadShare | null): number {
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
  }, [read?.messages.length, read?.branch]);
  return current;
}

/** The part of the window below the bar, whose first message is the current one. */
const VISIBLE = { rootMargin: '-80px 0px -20% 0px' };

const dateOf = (time: string): string => new Date(time).toLocaleDateString(undefined, { dateStyle: 'long' });

const timeOf = (time: string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

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
