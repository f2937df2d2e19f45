import { createParley } from '@parley/client';
import { createFiles } from '@parley/client/files';
import { ParleyProvider, useChats } from '@parley/client/react';
import { endPauses } from '@parley/transport/pause';
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from './design/button.js';
import { Overlays } from './design/overlays.js';
import { notify } from './design/toast.js';
import { FilesContext } from './browser/files.js';
import { ChatList } from './chats/chat-list.js';
import { useReading } from './chats/reads.js';
import { Skeleton } from './design/placeholder.js';
import { lazyPart } from './lazy-part.js';
import type { PageDialog } from './palette/action-commands.js';
import { Header } from './shell/header.js';
import { Tab } from './shell/tab.js';
import { useShortcuts } from './shell/use-shortcuts.js';
import { SMALL, useMedia, usePlace, WIDE, type Place } from './place.js';
import { print } from './print.js';
import { signedInUser, signOut } from './session.js';

const Thread = lazyPart(() => import('./thread/thread.js'), <Skeleton />);
const Graph = lazyPart(() => import('./graph/graph.js'), <Skeleton />);
const GraphSheet = lazyPart(() => import('./graph/graph-sheet.js'));
const Split = lazyPart(() => import('./split/split.js'), <Skeleton />);
const Compare = lazyPart(() => import('./compare/compare.js'), <Skeleton />);
const History = lazyPart(() => import('./history/history.js'), <Skeleton />);
const Home = lazyPart(() => import('./home/home.js'), <Skeleton />);
const OtherPages = lazyPart(() => import('./other-pages.js'), <Skeleton />);
const PageDialogs = lazyPart(() => import('./page-dialogs.js'));
const Palette = lazyPart(() => import('./palette/palette.js'));
const SignIn = lazyPart(() => import('./sign-in/sign-in.js'));

const connect = () => createParley({ url: new URL('/graphql', location.href).href });

export function App(): ReactNode {
  // Each session has a connection of its own.
  const [parley, setParley] = useState(connect);
  const files = useMemo(() => createFiles({ url: '/graphql' }), [parley]);
  return (
    <FilesContext value={files}>
      <ParleyProvider parley={parley}>
        <Overlays>
          <Page
            onSession={() => {
              parley.close();
              setParley(connect());
            }}
          />
        </Overlays>
      </ParleyProvider>
    </FilesContext>
  );
}

const failed = ({ message }: Error) => notify({ text: message, isUrgent: true });

/** @param onSession called after a sign-in and a sign-out */
function Page({ onSession }: { onSession: () => void }): ReactNode {
  const place = usePlace();
  const { chatId, page } = place;
  const { status, chats } = useChats();
  const [dialog, setDialog] = useState<'commands' | PageDialog | null>(null);
  const unread = useReading(status === 'live' ? chats : null, chatId);
  useShortcuts({
    '/': () => document.getElementById('search')?.focus(),
    '?': () => setDialog('shortcuts'),
    'mod+k': () => setDialog('commands'),
    'mod+p': print,
  });
  if (status === 'refused') {
    return <SignIn onSignedIn={onSession} />;
  }
  const close = () => setDialog(null);
  const onSignOut =
    signedInUser() === null ? null : (everywhere: boolean) => void signOut(everywhere).then(onSession, failed);
  return (
    <div className="panes" data-open={chatId !== null || (page !== null && place.userId === null)}>
      <button className="button skip" onClick={() => document.querySelector('main')?.focus()}>
        Skip to the content
      </button>
      <ChatList open={chatId} userId={place.userId} onCommands={() => setDialog('commands')} />
      <main tabIndex={-1}>
        {status === 'away' && (
          <p role="alert">
            <span>The server is unavailable. Retrying…</span> <Button onClick={endPauses}>Retry</Button>
          </p>
        )}
        <Header place={place} onSignOut={onSignOut} onShortcuts={() => setDialog('shortcuts')} />
        {page !== null ? (
          <OtherPages {...place} />
        ) : chatId === null ? (
          <Home />
        ) : (
          <ChatView {...place} chatId={chatId} />
        )}
      </main>
      <Tab chatId={chatId} title={chats.find(({ id }) => id === chatId)?.title ?? null} unread={unread} />
      {dialog !== null && dialog !== 'commands' && <PageDialogs {...{ dialog, place }} onClose={close} />}
      {dialog === 'commands' && <Palette {...{ place, onSignOut }} onDialog={setDialog} onClose={close} />}
    </div>
  );
}

function ChatView({ chatId, view, messageId, otherId }: Place & { chatId: string }): ReactNode {
  const isWide = useMedia(WIDE);
  const isSmall = useMedia(SMALL);
  if (view === 'split' && isWide) return <Split key={chatId} chatId={chatId} messageId={messageId} />;
  if (view === 'graph' && !isSmall) return <Graph key={chatId} chatId={chatId} messageId={messageId} />;
  if (view === 'history') return <History key={chatId} chatId={chatId} />;
  if (view === 'compare') {
    return <Compare key={chatId} chatId={chatId} messageId={messageId} otherId={otherId} />;
  }
  return (
    <>
      <Thread key={chatId} chatId={chatId} messageId={messageId} />
      {view === 'graph' && <GraphSheet chatId={chatId} messageId={messageId} />}
    </>
  );
}
