import { createParley } from '@parley/client';
import { ParleyProvider, useChats } from '@parley/client/react';
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Overlays } from './design/overlays.js';
import { FilesContext, filesFor } from './files.js';
import { ErrorBoundary } from './error-boundary.js';
import { ChatList } from './chats/chat-list.js';
import { linkTo, usePlace, VIEWS, type Place, type View } from './place.js';
import { queryOf } from './query-of.js';
import { SignIn } from './sign-in.js';
import { TokenContext } from './token.js';
import { Export } from './transfer/export.js';
import { Import } from './transfer/import.js';
import { words } from './words.js';

const Thread = lazy(() => import('./thread/thread.js'));
const Graph = lazy(() => import('./graph/graph.js'));
const Compare = lazy(() => import('./compare/compare.js'));
const History = lazy(() => import('./history/history.js'));
const Users = lazy(() => import('./admin/users.js'));

const connect = (token: string | null) =>
  createParley({ url: new URL('/graphql', location.href).href, ...(token !== null && { token }) });

export function App(): ReactNode {
  // Kept in memory only: a reload discards it.
  const [token, setToken] = useState<string | null>(null);
  const [parley, setParley] = useState(() => connect(null));
  const files = useMemo(() => filesFor(token), [token]);
  return (
    <TokenContext value={token}>
      <FilesContext value={files}>
        <ParleyProvider parley={parley}>
          <Overlays>
            <Rooms
              onToken={(given) => {
                parley.close();
                setToken(given);
                setParley(connect(given));
              }}
            />
          </Overlays>
        </ParleyProvider>
      </FilesContext>
    </TokenContext>
  );
}

function Rooms({ onToken }: { onToken: (token: string) => void }): ReactNode {
  const place = usePlace();
  const { chatId, page } = place;
  const { status, error, chats } = useChats();
  const title = chats.find(({ id }) => id === chatId)?.title;
  // The title of tabs, bookmarks and history entries.
  useEffect(() => {
    document.title = title == null ? words.title : `${title} – ${words.title}`;
  }, [title]);
  useEffect(() => {
    const search = ({ key, target }: KeyboardEvent) => {
      if (key !== '/' || (target instanceof HTMLElement && target.matches('input, textarea, select'))) return;
      document.getElementById('search')?.focus();
    };
    addEventListener('keyup', search);
    return () => removeEventListener('keyup', search);
  }, []);
  if (status === 'refused') return <SignIn reason={error?.message ?? ''} onToken={onToken} />;
  return (
    <div className="panes" data-open={chatId !== null || (page !== null && place.userId === null)}>
      <button className="skip" onClick={() => document.querySelector('main')?.focus()}>
        {words.skip}
      </button>
      <ChatList open={chatId} userId={place.userId} />
      <main tabIndex={-1}>
        {status === 'away' && <p role="alert">{words.away}</p>}
        <nav className="views" aria-label={words.title}>
          <a className="back" href={linkTo({})}>
            ‹ {words.chats}
          </a>
          {chatId !== null &&
            VIEWS.map((view) => (
              <a
                key={view}
                href={linkTo({ chatId, view, messageId: isOfMessage(view, place) ? place.messageId : null })}
                aria-current={view === place.view ? 'page' : undefined}
              >
                {words[view]}
              </a>
            ))}
          <span className="spring" />
          {chatId !== null && <Export chatId={chatId} />}
          <Import />
          <a href={queryOf(place)} target="_blank" rel="noopener">
            {words.query}
          </a>
        </nav>
        <ErrorBoundary place={linkTo(place)}>
          <Suspense fallback={<p className="hint">{words.loading}</p>}>
            {page === 'users' ? (
              <Users />
            ) : chatId === null ? (
              <p className="hint">{words.choose}</p>
            ) : (
              <Room {...place} />
            )}
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

/** Whether a view shows the message of the previous view. */
const isOfMessage = (view: View, { view: before }: Place): boolean =>
  [view, before].every((one) => one === 'thread' || one === 'split' || one === 'graph');

function Room({ chatId, view, messageId, otherId }: Place): ReactNode {
  if (chatId === null) return null;
  if (view === 'graph') return <Graph key={chatId} chatId={chatId} messageId={messageId} />;
  if (view === 'history') return <History key={chatId} chatId={chatId} />;
  if (view === 'compare') {
    return <Compare key={chatId} chatId={chatId} messageId={messageId} otherId={otherId} />;
  }
  // `split` shows the thread until its view exists.
  return <Thread key={chatId} chatId={chatId} messageId={messageId} />;
}
