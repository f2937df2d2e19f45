import type { Message, ThreadStore } from '@parley/client';
import { useSiblings, useThreadState } from '@parley/client/react';
import { Bookmark, Square } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { useRights } from '../role.js';
import { act } from './act.js';
import { Body } from './body.js';
import { MessageActions } from './message-actions.js';
import { MessageHeader } from './message-header.js';

interface MessageItemProps {
  message: Message;
  store: ThreadStore;
  onDetails(message: Message): void;
  /** Receives refused writes. */
  onRefused(message: string): void;
}

/** A message with its header and actions, and the checkpoints after it. */
export function MessageItem({ message, store, onDetails, onRefused }: MessageItemProps): ReactNode {
  const { id, text, data, status } = message;
  const siblings = useSiblings(id);
  const checkpoints = useThreadState(store, (state) => state.checkpoints);
  const [isEditing, setIsEditing] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    // After the form closes, the keyboard focus returns to the button.
    if (!isEditing && wasEditing.current && document.activeElement === document.body) editButton.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const may = useRights(store.chatId);
  const goTo = (messageId: string) =>
    void act(store.switchToSibling(messageId, may('WRITER') ? 'shared' : 'local'), onRefused);
  return (
    <>
      <MessageHeader message={message} chatId={store.chatId} siblings={siblings} onSwitch={goTo} />
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
        <div className="message-body">
          <Body text={text} data={data} messageId={status === undefined ? id : null} />
        </div>
      )}
      {status === 'streaming' && (
        <Button icon={Square} onClick={() => void act(store.stop(id), onRefused)}>
          Stop
        </Button>
      )}
      {status === undefined && !isEditing && (
        <MessageActions
          {...{ message, siblings, store, editButton, onDetails, onRefused }}
          onEdit={() => setIsEditing(true)}
        />
      )}
      {checkpoints
        .filter(({ messageId }) => messageId === id)
        .map(({ name }) => (
          <p key={name} className="checkpoint row" aria-label={`Checkpoint ${name}`} role="note">
            <Bookmark aria-hidden />
            <bdi>{name}</bdi>
          </p>
        ))}
    </>
  );
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
