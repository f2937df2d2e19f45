import { createParley } from '@parley/client';
import { ParleyProvider, useChats } from '@parley/client/react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { ChatList } from './chats/chat-list.js';
import { linkTo, usePlace } from './place.js';
import { SignIn } from './sign-in.js';
import { Thread } from './thread/thread.js';
import { words } from './words.js';

const Picture = lazy(() => import('./picture/picture.js'));

const connect = (token: string | null) =>
  createParley({ url: new URL('/graphql', location.href).href, ...(token !== null && { token }) });

export function App(): ReactNode {
  // In this page alone, and gone with it.
  const [parley, setParley] = useState(() => connect(null));
  return (
    <ParleyProvider parley={parley}>
      <Rooms
        onToken={(token) => {
          parley.close();
          setParley(connect(token));
        }}
      />
    </ParleyProvider>
  );
}

function Rooms({ onToken }: { onToken: (token: string) => void }): ReactNode {
  const { chatId, view, messageId } = usePlace();
  const { status, error } = useChats();
  if (status === 'refused') return <SignIn reason={error?.message ?? ''} onToken={onToken} />;
  return (
    <div className="rooms">
      <ChatList open={chatId} />
      <main>
        {status === 'away' && <p role="alert">{words.away}</p>}
        {chatId === null ? (
          <p className="hint">{words.choose}</p>
        ) : (
          <>
            <nav className="views" aria-label={words.title}>
              {(['thread', 'picture'] as const).map((each) => (
                <a key={each} href={linkTo({ chatId, view: each })} aria-current={each === view ? 'page' : undefined}>
                  {words[each]}
                </a>
              ))}
            </nav>
            <Suspense fallback={<p className="hint">{words.loading}</p>}>
              {view === 'picture' ? (
                <Picture key={chatId} chatId={chatId} />
              ) : (
                <Thread key={chatId} chatId={chatId} messageId={messageId} />
              )}
            </Suspense>
          </>
        )}
      </main>
    </div>
  );
}
