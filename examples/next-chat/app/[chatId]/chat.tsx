'use client';
import type { Files } from '@parley/client/files';
import { useParleyChat, type UseParleyChat } from '@parley/client/use-parley-chat';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type FileUIPart,
  type InferUITools,
  type UIMessage,
} from 'ai';
import { useState } from 'react';
import type { tools } from '../../lib/tools';

type Message = UIMessage<unknown, never, InferUITools<typeof tools>>;

export function Chat({ chatId, files }: { chatId: string; files: Files }) {
  const [chosen, setChosen] = useState<FileUIPart[]>([]);
  const [uploaded, setUploaded] = useState<number | null>(null);
  const chat = useParleyChat<Message>(chatId, {
    files,
    onUploadProgress: ({ bytes, of }) => setUploaded(bytes < of ? bytes / of : null),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';
  const send = (form: FormData) => {
    void chat.sendMessage({ text: form.get('text') as string, files: chosen }).finally(() => setUploaded(null));
    setChosen([]);
  };
  return (
    <main>
      <ol data-status={chat.status}>
        {chat.messages.map((message) => (
          <Line key={message.id} message={message} chat={chat} />
        ))}
      </ol>
      {chat.error && (
        <p role="alert">
          {chat.error.message} <button onClick={() => void chat.retry()}>Retry</button>
        </p>
      )}
      <form action={send}>
        <input name="text" aria-label="Message" required={chosen.length === 0} />
        <input
          type="file"
          aria-label="Files"
          multiple
          onChange={({ target }) => {
            setChosen([...chosen, ...files.attach(target.files ?? undefined)]);
            target.value = '';
          }}
        />
        <button disabled={isBusy}>Send</button>
        {isBusy && (
          <button type="button" onClick={() => void chat.stop()}>
            {uploaded === null ? 'Stop' : 'Cancel'}
          </button>
        )}
        {uploaded !== null && <progress aria-label="Upload" value={uploaded} />}
        {chosen.map((part) => (
          <p key={part.url}>
            {part.filename}{' '}
            <button
              type="button"
              aria-label={`Remove ${part.filename}`}
              onClick={() => setChosen(chosen.filter((each) => each !== part))}
            >
              Remove
            </button>
          </p>
        ))}
      </form>
    </main>
  );
}

/** `useParleyChat` gives files URLs that elements can show. */
function File({ part: { mediaType, url, filename } }: { part: FileUIPart }) {
  if (mediaType.startsWith('image/')) return <img src={url} alt={filename ?? ''} width="200" />;
  return <a href={url}>{filename ?? url}</a>;
}

/** A message with the arrows between its versions. */
function Line({ message: { id, role, parts }, chat }: { message: Message; chat: UseParleyChat<Message> }) {
  const [isEdited, setEdited] = useState(false);
  const versions = chat.siblings(id);
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const edit = (form: FormData) => {
    setEdited(false);
    const files = parts.filter((part) => part.type === 'file');
    void chat.sendMessage({ text: form.get('text') as string, files, messageId: id });
  };
  const arrow = (label: string, sign: string, to: string | null) => (
    <button aria-label={label} disabled={to === null} onClick={() => void (to && chat.switchToSibling(to))}>
      {sign}
    </button>
  );
  if (isEdited) {
    return (
      <li>
        <form action={edit}>
          <input name="text" aria-label="Edited" defaultValue={text} />
          <button>Save</button>
        </form>
      </li>
    );
  }
  return (
    <li data-role={role}>
      {parts.map((part, index) => {
        if (part.type === 'text') return <p key={index}>{part.text}</p>;
        if (part.type === 'file') return <File key={index} part={part} />;
        if (part.type === 'tool-weather') return <p key={index}>Weather: {part.output ?? '…'}</p>;
        if (part.type !== 'tool-book') return null;
        const { approval, state } = part;
        if (state !== 'approval-requested') return <p key={index}>Booking: {part.output ?? state}</p>;
        const respond = (approved: boolean) => void chat.addToolApprovalResponse({ id: approval.id, approved });
        return (
          <p key={index}>
            Book a table in {part.input.city}? <button onClick={() => respond(true)}>Approve</button>
            <button onClick={() => respond(false)}>Decline</button>
          </p>
        );
      })}
      {versions !== null && versions.count > 1 && (
        <span>
          {arrow('Previous version', '‹', versions.previous)}
          {versions.index + 1}/{versions.count}
          {arrow('Next version', '›', versions.next)}
        </span>
      )}
      {role === 'user' && <button onClick={() => setEdited(true)}>Edit</button>}
      {role === 'assistant' && <button onClick={() => void chat.regenerate({ messageId: id })}>Regenerate</button>}
    </li>
  );
}
