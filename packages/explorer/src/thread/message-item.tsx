import type { Message, ThreadStore } from '@parley/client';
import { useSiblings, useThreadState } from '@parley/client/react';
import { Bookmark, CircleStop } from 'lucide-react';
import { useEffect, useId, useRef, useState, type MouseEvent, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { TOUCH } from '../place.js';
import { useRights } from '../role.js';
import { act } from '../act.js';
import { Body } from './body.js';
import { MessageActions, openMessageMenu } from './message-actions.js';
import { factsOf } from './message-facts.js';
import { authorOf, Status } from './message-header.js';
import { Versions } from './versions.js';

interface MessageItemProps {
  message: Message;
  store: ThreadStore;
  /** The ids of tool calls whose results other messages contain. */
  answeredCalls: ReadonlySet<string>;
  /** Whether several users write in the thread. */
  isShared: boolean;
  /** Receives refused writes. */
  onRefused(message: string): void;
}

/** A message with its versions and actions, and the checkpoints after it. */
export function MessageItem({ message, store, answeredCalls, isShared, onRefused }: MessageItemProps): ReactNode {
  const { id, name, text, data, status } = message;
  const siblings = useSiblings(id);
  const checkpoints = useThreadState(store, (state) => state.checkpoints);
  const [isEditing, setIsEditing] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    // The form had the keyboard focus.
    if (!isEditing && wasEditing.current && document.activeElement === document.body) menuButton.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const { isIncomplete, failure } = factsOf(data);
  const may = useRights(store.chatId);
  const goTo = (messageId: string) =>
    void act(store.switchToSibling(messageId, may('WRITER') ? 'shared' : 'local'), onRefused);
  const isNamed = name === 'user' ? isShared : name !== 'assistant' && name !== 'system';
  return (
    <>
      <header className={isNamed ? undefined : 'visually-hidden'}>
        <b dir="auto">{authorOf(message)}</b> {status === 'streaming' && <Status status={status} />}
      </header>
      {isEditing ? (
        <EditForm
          text={text}
          onCancel={() => setIsEditing(false)}
          onSave={(newText) => {
            setIsEditing(false);
            void act(store.edit(id, newText), onRefused);
          }}
        />
      ) : (
        <div className="message-body" onClick={status === undefined ? openOnTap : undefined}>
          <Body text={text} data={data} messageId={status === undefined ? id : null} answeredCalls={answeredCalls} />
        </div>
      )}
      {status !== undefined && status !== 'streaming' && (
        <p className="message-note">
          <Status status={status} />
        </p>
      )}
      {status === undefined && isIncomplete && (
        <p className="message-note row">
          <CircleStop aria-hidden />
          {failure === null ? 'Stopped before the end' : `Failed before the end: ${failure}`}
        </p>
      )}
      {status === undefined && !isEditing && (
        <div className="message-foot">
          {siblings !== null && siblings.siblingCount > 1 && <Versions siblings={siblings} onSwitch={goTo} />}
          <MessageActions {...{ message, siblings, store, menuButton, onRefused }} onEdit={() => setIsEditing(true)} />
        </div>
      )}
      {checkpoints
        .filter(({ messageId }) => messageId === id)
        .map(({ name: checkpoint }) => (
          <p key={checkpoint} className="checkpoint row" aria-label={`Checkpoint ${checkpoint}`} role="note">
            <Bookmark aria-hidden />
            <bdi>{checkpoint}</bdi>
          </p>
        ))}
    </>
  );
}

/** A tap on a text opens the actions; a tap on a control does not. */
function openOnTap({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  if (!matchMedia(TOUCH).matches || !(target instanceof Element)) return;
  const control = target.closest('a, button, summary, input, [tabindex]');
  if ((control !== null && currentTarget.contains(control)) || getSelection()?.isCollapsed === false) return;
  openMessageMenu(currentTarget.parentElement);
}

interface EditFormProps {
  text: string;
  onSave(text: string): void;
  onCancel(): void;
}

function EditForm({ text, onSave, onCancel }: EditFormProps): ReactNode {
  const id = useId();
  return (
    <form
      className="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget).get('text');
        if (typeof given === 'string' && given.trim() !== '') onSave(given);
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onCancel();
      }}
    >
      <label className="visually-hidden" htmlFor={id}>
        New text
      </label>
      <textarea id={id} name="text" defaultValue={text} rows={4} required autoFocus dir="auto" />
      <footer>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" tone="accent">
          Save as a new version
        </Button>
      </footer>
    </form>
  );
}
