import { ChatProvider, useSiblings, useThread } from '@parley/client/react';
import type { Message } from '@parley/client';
import { useEffect, type ReactNode } from 'react';
import { words } from '../words.js';

/** A chat's thread, live. @param messageId where it is opened; null for its end */
export function Thread({ chatId, messageId }: { chatId: string; messageId: string | null }): ReactNode {
  const { store, status, thread, chat, hasOlder, hasNewer } = useThread(chatId);
  const isRead = chat !== null;
  useEffect(() => {
    if (!isRead || messageId === null) return;
    void store.showMessage(messageId).then(() => {
      document.getElementById(`message-${messageId}`)?.scrollIntoView({ block: 'center' });
    });
  }, [store, isRead, messageId]);
  const say = (form: FormData) => {
    const text = form.get('text');
    if (typeof text === 'string' && text.trim() !== '') void store.send(text);
  };
  if (status === 'gone') return <p className="hint">{words.gone}</p>;
  if (!isRead) return <p className="hint">{words.loading}</p>;
  return (
    <ChatProvider chatId={chatId}>
      <article className="thread">
        <h2 dir="auto">{chat.title ?? words.untitled}</h2>
        {hasOlder && <button onClick={() => void store.loadOlder()}>{words.older}</button>}
        <ol>
          {thread.map((message) => (
            <Said
              key={message.id}
              message={message}
              isOpen={message.id === messageId}
              onSwitch={(id) => store.switchToSibling(id)}
            />
          ))}
        </ol>
        {hasNewer && <button onClick={() => void store.loadNewer()}>{words.newer}</button>}
        <form action={say} className="say">
          <textarea name="text" rows={2} aria-label={words.saySomething} placeholder={words.saySomething} />
          <button>{words.say}</button>
        </form>
      </article>
    </ChatProvider>
  );
}

interface SaidProps {
  message: Message;
  isOpen: boolean;
  onSwitch: (messageId: string) => unknown;
}

function Said({ message: { id, name, text, data, status }, isOpen, onSwitch }: SaidProps): ReactNode {
  const siblings = useSiblings(id);
  const { siblingIndex = 0, siblingCount = 1, previousId = null, nextId = null } = siblings ?? {};
  return (
    <li id={`message-${id}`} data-role={name} data-status={status} aria-current={isOpen ? 'location' : undefined}>
      <header>
        <b dir="auto">{name}</b>
        {siblingCount > 1 && (
          <span className="arrows">
            <Arrow to={previousId} says={words.previous} sign="‹" onSwitch={onSwitch} />
            {words.versions(siblingIndex, siblingCount)}
            <Arrow to={nextId} says={words.next} sign="›" onSwitch={onSwitch} />
          </span>
        )}
      </header>
      {text === '' ? (
        <details>
          <summary>{words.data}</summary>
          <pre dir="auto">{JSON.stringify(data, null, 2)}</pre>
        </details>
      ) : (
        <p dir="auto">{text}</p>
      )}
    </li>
  );
}

interface ArrowProps {
  to: string | null;
  says: string;
  sign: string;
  onSwitch: (messageId: string) => unknown;
}

function Arrow({ to, says, sign, onSwitch }: ArrowProps): ReactNode {
  return (
    <button aria-label={says} disabled={to === null} onClick={() => to !== null && void onSwitch(to)}>
      {sign}
    </button>
  );
}
