import { useThread } from '@parley/client/react';
import { ask } from './answer';
import { Attachments, useAttachments } from './files';
import { Line } from './line';

export function Chat({ chatId }: { chatId: string }) {
  const { thread, hasOlder, status, error, conflicts, store } = useThread(chatId);
  const { attachments, add, clear } = useAttachments();
  const parts = attachments.flatMap(({ part }) => part ?? []);
  const isDraft = /streaming|stopping|abandoned/.test(thread.at(-1)?.status ?? '');
  const send = (form: FormData) => {
    clear();
    void ask(store, form.get('text') as string, parts);
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
          Another client wrote before “{messages[0]?.text}”.
          {choices.map((choice) => (
            <button key={choice} onClick={() => void resolve(choice)}>
              {choice}
            </button>
          ))}
        </p>
      ))}
      <form action={send}>
        <input aria-label="Say something" name="text" required={attachments.length === 0} />
        <input
          type="file"
          aria-label="Files"
          multiple
          onChange={({ target }) => {
            for (const file of target.files ?? []) add(file);
            target.value = '';
          }}
        />
        <Attachments attachments={attachments} />
        <button disabled={isDraft || status === 'opening' || parts.length < attachments.length}>Send</button>
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
