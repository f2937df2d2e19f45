import { useThread } from '@parley/client/react';
import { useState } from 'react';
import { answer } from './answer';
import { Line } from './line';

export function Chat({ chatId }: { chatId: string }) {
  const { thread, hasOlder, status, error, conflicts, store } = useThread(chatId);
  const [text, setText] = useState('');
  const isWriting = thread.at(-1)?.status === 'streaming';
  const say = async () => {
    setText('');
    const said = await store.send(text);
    if (said.ok) await answer(store);
  };
  return (
    <main>
      <p role="status">{status === 'live' ? 'live' : (error?.message ?? status)}</p>
      {hasOlder && <button onClick={() => void store.loadOlder()}>Older</button>}
      <ol>
        {thread.map((message) => (
          <Line key={message.id} message={message} store={store} />
        ))}
      </ol>
      {conflicts.map(({ id, messages, choices, resolve }) => (
        <p key={id} role="alert">
          Somebody was faster than “{messages[0]?.text}”.
          {choices.map((choice) => (
            <button key={choice} onClick={() => void resolve(choice)}>
              {choice}
            </button>
          ))}
        </p>
      ))}
      <form action={say}>
        <input aria-label="Say something" required value={text} onChange={({ target }) => setText(target.value)} />
        <button disabled={isWriting}>Send</button>
        {isWriting && (
          <button type="button" onClick={() => void store.stop()}>
            Stop
          </button>
        )}
      </form>
      <a href={`#${crypto.randomUUID()}`}>A new chat</a>
    </main>
  );
}
