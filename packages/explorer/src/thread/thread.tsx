import type { Message } from '@parley/client';
import { ChatProvider, useThread } from '@parley/client/react';
import { ArrowDown, MessagesSquare } from 'lucide-react';
import { forwardRef, useEffect, useMemo, useRef, useState, type HTMLAttributes, type ReactNode } from 'react';
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso';
import { Button } from '../design/button.js';
import { copyText } from '../design/copy.js';
import { EmptyState } from '../design/placeholder.js';
import { useVisit } from '../chats/reads.js';
import { lazyPart } from '../lazy-part.js';
import { Missing } from '../missing.js';
import { placeOf } from '../place.js';
import { Print } from '../print.js';
import { useRights } from '../role.js';
import { Composer } from './composer/composer.js';
import { MessageMenu } from './message-actions.js';
import { isOfViewer } from './message-header.js';
import { MessageItem } from './message-item.js';
import { factsOf } from './message-facts.js';
import { answeredCalls } from './part.js';
import { firstVisible, keepReadingPlace, readingPlace, type ReadingPlace } from './reading-place.js';
import './thread.css';
import './message.css';

const Details = lazyPart(() => import('./details.js'));

/** The distance of an opened message to the upper edge. */
const OPENED_OFFSET_PX = 24;

const CHOICES = { append: 'Send anyway', fork: 'Send on a new branch', discard: 'Discard' } as const;
const ANSWER_COMMANDS = [
  'npm run answer -- --model echo',
  'npm run answer -- --base-url http://127.0.0.1:11434/v1 --model llama3.2',
];

const List = forwardRef<HTMLOListElement, HTMLAttributes<HTMLOListElement>>(function List(props, ref) {
  return <ol {...props} ref={ref} className="messages" />;
});

/** A chat's thread, live. @param messageId the message to open it at; null for its end */
export default function Thread({ chatId, messageId }: { chatId: string; messageId: string | null }): ReactNode {
  const { store, status, error, thread, chat, hasOlder, hasNewer, branch, conflicts } = useThread(chatId);
  const mayWrite = useRights(chatId)('COMMENTER');
  const list = useRef<VirtuosoHandle>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [detailed, setDetailed] = useState<Message | null>(null);
  const [refused, setRefused] = useState('');
  const answered = useMemo(() => new Set(thread.flatMap(({ data }) => answeredCalls(data))), [thread]);
  const isShared = thread.some((message) => message.name === 'user' && !isOfViewer(message));
  const visit = useVisit();
  const firstNew =
    visit?.chatId !== chatId
      ? undefined
      : thread.find(
          ({ createdAt, status: state }) => state === undefined && createdAt > visit.since && createdAt <= visit.until,
        );
  const isRead = chat !== null;
  const article = useRef<HTMLElement>(null);
  /** The place at which the list was opened: another location resets the list. */
  const [shown, setShown] = useState<(ReadingPlace & { isLinked: boolean }) | null>(null);
  const [jumps, setJumps] = useState(0);
  const [wasLeft] = useState(() => readingPlace() !== null);
  /** Whether the opened message stays at its place while others are rendered and loaded: until the user scrolls. */
  const isHeld = useRef(true);
  const release = () => {
    isHeld.current = false;
  };
  const jump = (to: ReadingPlace | null, isLinked = true) => {
    isHeld.current = true;
    setShown(to && { ...to, isLinked });
    setJumps((count) => count + 1);
  };
  useEffect(() => {
    const left = readingPlace();
    const to = left ?? (messageId === null ? null : { id: messageId, offset: -OPENED_OFFSET_PX });
    if (!isRead) return;
    // The address may have changed to one without a message before the chat was read.
    if (to === null) return void (wasLeft && jumps === 0 && jump(null));
    isHeld.current = true;
    let isLeft = false;
    void store.showMessage(to.id).then((outcome) => {
      if (isLeft) return;
      setRefused(outcome.ok || left !== null ? '' : outcome.error.message);
      jump(to, left === null);
    });
    return () => {
      isLeft = true;
    };
  }, [store, isRead, messageId]);
  const openAt = shown === null ? -1 : thread.findIndex(({ id }) => id === shown.id);
  const place = { index: openAt, align: 'start', offset: shown?.offset ?? 0 } as const;
  const hold = () => {
    if (!isHeld.current) return;
    if (openAt >= 0) list.current?.scrollToIndex(place);
    else if (shown === null && !hasNewer) list.current?.scrollToIndex({ index: 'LAST', align: 'end' });
  };
  useEffect(hold, [openAt]);
  const wasScrolling = useRef(false);
  const keepPlace = (isScrolling: boolean) => {
    // The list also calls each new callback, with the current value.
    const hasEnded = wasScrolling.current && !isScrolling;
    wasScrolling.current = isScrolling;
    // Another place is in the URL before its message is shown.
    if (!hasEnded || isHeld.current || placeOf(location.hash).messageId !== messageId) return;
    const isEnd = isAtEnd && !hasNewer;
    keepReadingPlace(
      isEnd ? null : firstVisible([...(article.current?.querySelectorAll<HTMLElement>('.messages > li') ?? [])]),
    );
  };
  if (status === 'gone' || !isRead || ((messageId !== null || wasLeft) && jumps === 0)) {
    return <Missing status={status} error={error} />;
  }

  return (
    <ChatProvider chatId={chatId}>
      <article
        ref={article}
        className="thread"
        tabIndex={-1}
        onWheel={release}
        onTouchMove={release}
        onKeyDown={release}
        onPointerDown={release}
      >
        {refused !== '' && (
          <p role="alert">
            <span>{refused}</span> <Button onClick={() => setRefused('')}>Close</Button>
          </p>
        )}
        {conflicts.map(({ id, messages, choices, resolve }) => (
          <p key={id} role="alert">
            <span>The branch has newer messages than “{messages[0]?.text}” follows.</span>
            {choices.map((choice) => (
              <Button key={choice} onClick={() => void resolve(choice)}>
                {CHOICES[choice]}
              </Button>
            ))}
          </p>
        ))}
        {thread.length === 0 && mayWrite && <EmptyThread />}
        <Virtuoso<Message>
          key={jumps}
          ref={list}
          className="message-list"
          // Messages above are inserted above: the visible messages do not move.
          firstItemIndex={thread[0]?.depth ?? 0}
          data={thread}
          computeItemKey={(_, { id }) => id}
          initialTopMostItemIndex={openAt >= 0 ? place : { index: 'LAST', align: 'end' }}
          totalListHeightChanged={hold}
          atBottomStateChange={setIsAtEnd}
          isScrolling={keepPlace}
          atBottomThreshold={80}
          followOutput={(isBelow) => isBelow && !hasNewer && 'auto'}
          startReached={() => void (hasOlder && store.loadOlder())}
          endReached={() => void (hasNewer && store.loadNewer())}
          increaseViewportBy={800}
          components={{ List, Item: ItemOf, Header: Space }}
          context={{ openId: shown?.isLinked === true ? shown.id : null, firstNewId: firstNew?.id ?? null }}
          itemContent={(_, message) => (
            <MessageItem {...{ message, store, isShared }} answeredCalls={answered} onRefused={setRefused} />
          )}
        />
        {(hasNewer || (!isAtEnd && thread.length > 0)) && (
          <Button
            className="button to-end"
            icon={ArrowDown}
            onClick={() => {
              if (!hasNewer) return list.current?.scrollToIndex({ index: 'LAST', align: 'end' });
              store.showEnd();
              keepReadingPlace(null);
              jump(null);
            }}
          >
            Jump to newest
          </Button>
        )}
        {mayWrite ? (
          <Composer
            store={store}
            model={factsOf(thread.findLast(({ name }) => name === 'assistant')?.data).model}
            place={{ chatId, branchId: branch?.id ?? null }}
            writingId={thread.findLast(({ status: state }) => state === 'streaming')?.id ?? null}
            isFirst={thread.length === 0}
            onRefused={setRefused}
          />
        ) : (
          <p className="read-only">You can read this chat. Its owner can let you write.</p>
        )}
        <MessageMenu store={store} onDetails={setDetailed} onRefused={setRefused} />
        <Print store={store} />
        {detailed !== null && <Details message={detailed} onClose={() => setDetailed(null)} />}
      </article>
    </ChatProvider>
  );
}

/** The list's own padding would move the messages below it. */
function Space(): ReactNode {
  return <div className="thread-space" />;
}

/** Explains how a chat gets answers. */
function EmptyThread(): ReactNode {
  return (
    <EmptyState icon={MessagesSquare} text="No messages yet.">
      <p>Answers come from a model beside the server. Run one of these, and write a message:</p>
      <ul className="answer-commands">
        {ANSWER_COMMANDS.map((command) => (
          <li key={command} className="row">
            <code>{command}</code>
            <Button aria-label={`Copy ${command}`} onClick={() => void copyText(command)}>
              Copy
            </Button>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

function ItemOf({
  item,
  context,
  children,
  ...props
}: HTMLAttributes<HTMLLIElement> & {
  item: Message;
  context?: { openId: string | null; firstNewId: string | null };
}): ReactNode {
  const { id, name, status } = item;
  return (
    <li
      {...props}
      id={`message-${id}`}
      data-role={name}
      data-status={status}
      aria-current={context?.openId === id ? 'location' : undefined}
    >
      {context?.firstNewId === id && (
        <p className="checkpoint is-new row" role="note" aria-label="New messages">
          New messages
        </p>
      )}
      {children}
    </li>
  );
}
