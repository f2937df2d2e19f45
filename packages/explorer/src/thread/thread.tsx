import type { Message } from '@parley/client';
import { ChatProvider, useThread } from '@parley/client/react';
import { forwardRef, useEffect, useState, type HTMLAttributes, type ReactNode } from 'react';
import { Virtuoso } from 'react-virtuoso';
import { Missing } from '../missing.js';
import { words } from '../words.js';
import { Composer } from './composer.js';
import { MessageItem } from './message-item.js';

const List = forwardRef<HTMLOListElement, HTMLAttributes<HTMLOListElement>>(function List(props, ref) {
  return <ol {...props} ref={ref} className="messages" />;
});

/** A chat's thread, live. @param messageId the message to open it at; null for its end */
export default function Thread({ chatId, messageId }: { chatId: string; messageId: string | null }): ReactNode {
  const { store, status, error, thread, chat, hasOlder, hasNewer, conflicts } = useThread(chatId);
  const [refused, setRefused] = useState('');
  const isRead = chat !== null;
  /** The message at which the list was opened: another location resets the list. */
  const [shownId, setShownId] = useState<string | null>(null);
  const [jumps, setJumps] = useState(0);
  const jump = (id: string | null) => {
    setShownId(id);
    setJumps((count) => count + 1);
  };
  useEffect(() => {
    if (!isRead || messageId === null) return;
    let isLeft = false;
    void store.showMessage(messageId).then((shown) => {
      if (isLeft) return;
      setRefused(shown.ok ? '' : shown.error.message);
      jump(messageId);
    });
    return () => {
      isLeft = true;
    };
  }, [store, isRead, messageId]);
  const openAt = shownId === null ? -1 : thread.findIndex(({ id }) => id === shownId);
  if (status === 'gone' || !isRead || (messageId !== null && jumps === 0)) {
    return <Missing status={status} error={error} />;
  }

  return (
    <ChatProvider chatId={chatId}>
      <article className="thread">
        {refused !== '' && (
          <p role="alert">
            {refused} <button onClick={() => setRefused('')}>{words.close}</button>
          </p>
        )}
        {conflicts.map(({ id, messages, choices, resolve }) => (
          <p key={id} role="alert">
            {words.faster(messages[0]?.text ?? '')}{' '}
            {choices.map((choice) => (
              <button key={choice} onClick={() => void resolve(choice)}>
                {words.choices[choice]}
              </button>
            ))}
          </p>
        ))}
        {thread.length === 0 && <p className="hint">{words.nothingSaid}</p>}
        <Virtuoso<Message>
          key={jumps}
          className="message-list"
          // Messages above are inserted above: the visible messages do not move.
          firstItemIndex={thread[0]?.depth ?? 0}
          data={thread}
          computeItemKey={(_, { id }) => id}
          initialTopMostItemIndex={openAt >= 0 ? { index: openAt, align: 'center' } : { index: 'LAST', align: 'end' }}
          followOutput={(isAtEnd) => isAtEnd && !hasNewer && 'auto'}
          startReached={() => void (hasOlder && store.loadOlder())}
          endReached={() => void (hasNewer && store.loadNewer())}
          increaseViewportBy={800}
          components={{ List, Item: ItemOf }}
          context={{ openId: shownId }}
          itemContent={(_, message) => <MessageItem message={message} store={store} onRefused={setRefused} />}
        />
        {hasNewer && (
          <button
            className="to-end"
            onClick={() => {
              store.showEnd();
              jump(null);
            }}
          >
            {words.toEnd}
          </button>
        )}
        <Composer store={store} isFocused={thread.length === 0} onRefused={setRefused} />
      </article>
    </ChatProvider>
  );
}

function ItemOf({
  item,
  context,
  ...props
}: HTMLAttributes<HTMLLIElement> & { item: Message; context?: { openId: string | null } }): ReactNode {
  const { id, name, status } = item;
  return (
    <li
      {...props}
      id={`message-${id}`}
      data-role={name}
      data-status={status}
      aria-current={context?.openId === id ? 'location' : undefined}
    />
  );
}
