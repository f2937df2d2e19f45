import { useThread } from '@parley/client/react';
import { ask } from './answer';
import { Line } from './line';

export function Chat({ chatId }: { chatId: string }) {
  const { thread, hasOlder, status, error, conflicts, store } = useThread(chatId);
  const isDraft = /streaming|stopping|abandoned/.test(thread.at(-1)?.status ?? '');
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
          Another client wrote before “{messages[0]?.text}”.
          {choices.map((choice) => (
            <button key={choice} onClick={() => void resolve(choice)}>
              {choice}
            </button>
          ))}
        </p>
      ))}
      <form action={(form) => void ask(store, form.get('text') as string)}>
        <input aria-label="Say something" name="text" required />
        <button disabled={isDraft || status === 'opening'}>Send</button>
        {isDraft && (
          <button type="button" onClick={() => void store.stop()}>
            Stop
          </button>
        )}
      </form>
      <a href={`#${crypto.randomUUID()}`}>A new chat</a>
    </main>
  );
}
