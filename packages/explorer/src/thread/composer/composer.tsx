import type { ThreadStore } from '@parley/client';
import { useThreadState } from '@parley/client/react';
import { ArrowUp, Paperclip, Square, X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { useLabeled } from '../../branch-labels/use-branch-labels.js';
import { Button, IconButton } from '../../design/button.js';
import { useSwitchBranch } from '../../switch-branch.js';
import { act } from '../../act.js';
import { keepTyped, type TypedPlace } from './typed-text.js';
import { useAttachments, type Attachment } from './use-attachments.js';
import { useStorageWarning } from './use-storage-warning.js';
import { useTyped } from './use-typed.js';
import './composer.css';

interface ComposerProps {
  store: ThreadStore;
  /** The shown branch of the chat. */
  place: TypedPlace;
  /** The model of the last answer; null without one. */
  model: string | null;
  /** The id of the answer that is being written; null without one. */
  writingId: string | null;
  /** Whether the chat has no messages. The field has the focus then. */
  isFirst: boolean;
  /** Receives refused writes. */
  onRefused(message: string): void;
}

/** Sends texts, and files that are selected, pasted or dropped. */
export function Composer({ store, place, model, writingId, isFirst, onRefused }: ComposerProps): ReactNode {
  const { attachments, add, remove, clear, putBack: putFilesBack } = useAttachments(onRefused);
  const { field, begun, keep, putBack, moveHere } = useTyped(place);
  const branches = useLabeled(useThreadState(store, (state) => state.branches));
  const shown = branches.find(({ id }) => id === place.branchId);
  const begunOn = branches.find(({ id }) => id === begun?.branchId);
  const switchTo = useSwitchBranch(store, onRefused);
  const warn = useStorageWarning();
  const input = useRef<HTMLInputElement>(null);
  const isUploaded = attachments.every(({ uploaded }) => uploaded !== undefined);
  const stop = () => {
    if (writingId === null) return;
    // The button is replaced.
    field.current?.focus();
    void act(store.stop(writingId), onRefused);
  };
  const send = (form: FormData) => {
    const text = form.get('text');
    if (typeof text !== 'string' || (text.trim() === '' && attachments.length === 0)) return;
    clear();
    keepTyped(place, '');
    void act(store.send(attachments.length === 0 ? text : { data: messageOf(text, attachments) }), (message) => {
      putBack(text, place);
      putFilesBack(attachments);
      onRefused(message);
    });
  };
  return (
    <form
      action={send}
      className="say"
      // An action resets the form; this keeps the text until the files are uploaded.
      onSubmit={(event) => !isUploaded && event.preventDefault()}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        add(event.dataTransfer.files);
      }}
      onPaste={(event) => {
        const { files, types } = event.clipboardData;
        // Office programs add a picture of the text.
        if (files.length === 0 || types.includes('text/plain')) return;
        event.preventDefault();
        add(files);
      }}
    >
      {begun !== null && (
        <p className="row" role="status">
          {begunOn === undefined ? (
            <span>Unsent text</span>
          ) : (
            <>
              <span>
                Unsent text on “<bdi title={begunOn.name}>{begunOn.label}</bdi>”
              </span>
              <Button onClick={() => switchTo(begunOn)}>Switch</Button>
            </>
          )}
          <Button onClick={moveHere}>Move here</Button>
        </p>
      )}
      {attachments.length > 0 && (
        <ul className="attachments" aria-label="Attachments">
          {attachments.map((attachment) => (
            <AttachmentItem key={attachment.id} attachment={attachment} onRemove={() => remove(attachment)} />
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        name="text"
        rows={1}
        aria-label="Write a message"
        placeholder={isFirst || shown === undefined ? 'Write a message' : `Reply on “${shown.label}”`}
        dir="auto"
        autoFocus={isFirst}
        onInput={() => {
          keep();
          warn();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') stop();
          // Enter also confirms a word in a Chinese input method.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <div className="say-bar row">
        <IconButton label="Attach" icon={Paperclip} onClick={() => input.current?.click()} />
        <span className="ellipsis" title="The model of the last answer">
          {model}
        </span>
        {writingId !== null && attachments.length === 0 && (
          <Button className="button stop" icon={Square} onClick={stop}>
            Stop
          </Button>
        )}
        <IconButton type="submit" className="icon-button send" label="Send" icon={ArrowUp} disabled={!isUploaded} />
      </div>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Attach"
        onChange={({ target }) => {
          add(target.files ?? []);
          target.value = '';
        }}
      />
    </form>
  );
}

/** A UI message. */
function messageOf(text: string, attachments: readonly Attachment[]): object {
  const files = attachments.map(({ name, uploaded }) => {
    const { mediaType, reference } = uploaded ?? {};
    return { type: 'file', mediaType, filename: name, url: reference };
  });
  return { role: 'user', parts: [...(text.trim() === '' ? [] : [{ type: 'text', text }]), ...files] };
}

function AttachmentItem({ attachment, onRemove }: { attachment: Attachment; onRemove(): void }): ReactNode {
  const { name, progress, uploaded, error } = attachment;
  return (
    <li className="row">
      <span dir="auto">{name}</span>
      {error !== undefined ? (
        <span role="alert">{error}</span>
      ) : (
        uploaded === undefined && <progress aria-label={`Uploading ${name}`} value={progress.bytes} max={progress.of} />
      )}
      <IconButton size="small" label={`Remove ${name}`} icon={X} onClick={onRemove} />
    </li>
  );
}
