/** A page of a chat application: a thread with its versions, errors and conflicts. Its address has the server, the user and a token. */
import type { UIMessage } from 'ai';
import { createElement as h, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { useParleyChat, type UseParleyChat } from '../../src/ai/use-parley-chat.js';
import { createParley } from '../../src/client.js';
import { indexedDbOutbox } from '../../src/outbox/outbox.js';
import { ParleyProvider } from '../../src/react/react.js';

type Message = UIMessage<{ status?: string; failure?: string }>;

const given = new URLSearchParams(location.search);
const url = given.get('server')!;
const token = given.get('token')!;
const parley = createParley({ url, token, retryDelay: () => 50 });
const outbox = indexedDbOutbox({ url, userId: given.get('user')! });
const headers = { authorization: `Bearer ${token}` };

const button = (label: string, run: () => unknown, disabled = false) =>
  h('button', { key: label, type: 'button', disabled, onClick: () => void run() }, label);

const textOf = ({ parts }: UIMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

function Line({ message, chat }: { message: Message; chat: UseParleyChat<Message> }): ReactNode {
  const { id, role, metadata } = message;
  const { index = 0, count = 1, previous = null } = chat.siblings(id) ?? {};
  return h(
    'li',
    null,
    h('p', null, textOf(message)),
    h('small', null, [metadata?.status, metadata?.failure].filter(Boolean).join(': ')),
    h('span', null, `${index + 1}/${count}`),
    button('Previous', () => chat.switchToSibling(previous!), previous === null),
    role === 'assistant' && button('Regenerate', () => chat.regenerate({ messageId: id })),
  );
}

function Chat(): ReactNode {
  const [text, setText] = useState('');
  const [errors, setErrors] = useState<string[]>([]);
  const chat = useParleyChat<Message>('c', {
    headers,
    onError: ({ message }) => setErrors((earlier) => [...earlier, message]),
  });
  const send = () => {
    setText('');
    void chat.sendMessage({ text });
  };
  return h(
    'main',
    { 'data-status': chat.status, 'data-store': chat.storeStatus, 'data-branch': chat.branch?.name },
    h('h1', null, chat.messages.map(textOf).join(' | ')),
    h('ol', null, ...chat.messages.map((message) => h(Line, { key: message.id, message, chat }))),
    chat.conflicts.map(({ id, messages, newerMessages, choices, resolve }) =>
      h(
        'section',
        { key: id },
        h('p', null, [messages, newerMessages].map((list) => list.map((each) => each.text).join(', ')).join(' after ')),
        ...choices.map((choice) => button(choice, () => resolve(choice))),
      ),
    ),
    chat.error && h('p', { role: 'alert' }, chat.error.message, button('Retry', chat.retry)),
    h('ul', null, ...errors.map((message, index) => h('li', { key: index }, message))),
    h('input', { 'aria-label': 'Message', value: text, onChange: ({ target }) => setText(target.value) }),
    button('Send', send),
    button('Stop', chat.stop),
  );
}

const root = document.body.appendChild(document.createElement('div'));
createRoot(root).render(h(ParleyProvider, { parley, thread: { outbox } }, h(Chat)));
