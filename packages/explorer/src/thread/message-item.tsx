import type { Message, ThreadStore } from '@parley/client';
import { Rewind } from '@parley/client/operations';
import { useParley, useSiblings } from '@parley/client/react';
import type { ReactNode } from 'react';
import { TextPrompt } from '../text-prompt.js';
import { linkTo } from '../place.js';
import { words } from '../words.js';
import { act } from './act.js';
import { Body, Folded } from './body.js';

interface MessageItemProps {
  message: Message;
  store: ThreadStore;
  /** Receives refused writes. */
  onRefused(message: string): void;
}

/** A message, with the arrows to its other versions, and its actions. */
export function MessageItem({ message, store, onRefused }: MessageItemProps): ReactNode {
  const { id, name, text, data, status, createdAt } = message;
  const parley = useParley();
  const siblings = useSiblings(id);
  const { siblingIndex = 0, siblingCount = 1, previousId = null, nextId = null } = siblings ?? {};
  const { chatId } = store;
  const branch = (branchName: string) =>
    parley.run(Rewind, { input: { chatId, messageId: id, branchName } }).catch((reason: Error) => {
      onRefused(reason.message);
    });
  const goTo = (messageId: string) => void act(store.switchToSibling(messageId), onRefused);
  return (
    <>
      <header>
        <b dir="auto">{name}</b>
        {siblingCount > 1 && (
          <span className="arrows">
            <Arrow to={previousId} label={words.previous} sign="‹" onSwitch={goTo} />
            {words.versions(siblingIndex, siblingCount)}
            <Arrow to={nextId} label={words.next} sign="›" onSwitch={goTo} />
          </span>
        )}
        {status === undefined ? (
          <a href={linkTo({ chatId, messageId: id })}>
            <time dateTime={createdAt}>{new Date(createdAt).toLocaleString()}</time>
          </a>
        ) : (
          <span role="status">{words.statuses[status]}</span>
        )}
      </header>
      <Body text={text} data={data} messageId={status === undefined ? id : null} />
      {status === 'streaming' && <button onClick={() => void act(store.stop(id), onRefused)}>{words.stop}</button>}
      {status === undefined && (
        <details className="actions">
          <summary aria-label={words.actionsOn(name)}>⋯</summary>
          <TextPrompt
            action={name === 'user' ? words.edit : words.anotherVersion}
            label={words.newWords}
            value={text}
            isLong
            onAnswer={(newWords) => void act(store.edit(id, newWords), onRefused)}
          />
          <button onClick={() => void act(store.rewind(id), onRefused)}>{words.continueHere}</button>
          <TextPrompt
            action={words.branchHere}
            label={words.nameOf(words.branch)}
            onAnswer={(branchName) => void branch(branchName)}
          />
          <TextPrompt
            action={words.checkpoint}
            label={words.nameOf(words.checkpoint)}
            onAnswer={(checkpoint) => void act(store.createCheckpoint(checkpoint, id), onRefused)}
          />
          {siblingCount > 1 && (
            <a href={linkTo({ chatId, view: 'compare', messageId: id, ...otherOf(nextId ?? previousId) })}>
              {words.compare}
            </a>
          )}
          <Folded summary={words.asJson} value={message} />
        </details>
      )}
    </>
  );
}

const otherOf = (otherId: string | null) => (otherId === null ? {} : { otherId });

interface ArrowProps {
  to: string | null;
  label: string;
  sign: string;
  onSwitch: (messageId: string) => void;
}

function Arrow({ to, label, sign, onSwitch }: ArrowProps): ReactNode {
  return (
    <button aria-label={label} disabled={to === null} onClick={() => to !== null && onSwitch(to)}>
      {sign}
    </button>
  );
}
