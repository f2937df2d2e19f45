import { createParley } from '@parley/client';
import { ChatProvider, ParleyProvider } from '@parley/client/react';
import { DraftWriter } from '@parley/client/writer';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat';

const parley = createParley({ url: '/graphql' });

const onHash = (listener: () => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

/** The address names the chat: tabs with the same address share it. */
function App() {
  const chatId = useSyncExternalStore(onHash, () => location.hash.slice(1));
  return (
    <ParleyProvider parley={parley} thread={{ create: true, writer: DraftWriter }}>
      <ChatProvider chatId={chatId}>
        <Chat key={chatId} chatId={chatId} />
      </ChatProvider>
    </ParleyProvider>
  );
}

if (location.hash === '') location.replace(`#${crypto.randomUUID()}`);
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
