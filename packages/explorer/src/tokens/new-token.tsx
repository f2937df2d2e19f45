import { useChats, useParley } from '@parley/client/react';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { chatTitle } from '../chats/chat-title.js';
import { Button } from '../design/button.js';
import { CreateToken, type AccessScope } from '../generated/operations.js';

const DAY_MS = 86_400_000;

/** Each includes those before it. */
export const SCOPES: readonly [scope: AccessScope, name: string, effect: string][] = [
  ['READ', 'Read', 'Read chats, search, export'],
  ['WRITE', 'Read and write', 'Also send messages, create and import chats'],
  ['MANAGE', 'Read, write and manage', 'Also share, delete and transfer chats'],
];

const EXPIRIES: readonly [days: number | null, name: string][] = [
  [7, 'After 7 days'],
  [30, 'After 30 days'],
  [90, 'After 90 days'],
  [365, 'After a year'],
  [null, 'Never'],
];

interface NewTokenProps {
  change<Result>(work: Promise<Result>): Promise<Result | null>;
  onCreated(secret: string): void;
}

/** The form for a new token. */
export function NewToken({ change, onCreated }: NewTokenProps): ReactNode {
  const parley = useParley();
  const { chats } = useChats();
  const [scope, setScope] = useState<AccessScope>('READ');
  const create = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const text = (name: string) => {
      const value = fields.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const input = {
      ...{ name: text('name'), scopes: [scope] },
      ...(text('chatId') !== '' && { chatId: text('chatId') }),
      ...(text('days') !== '' && { expiresAt: new Date(Date.now() + Number(text('days')) * DAY_MS).toISOString() }),
    };
    onCreated('');
    const created = await change(parley.run(CreateToken, { input }));
    if (created === null || !('accessToken' in created.createAccessToken)) return;
    onCreated(created.createAccessToken.accessToken.token ?? '');
    form.reset();
    setScope('READ');
  };
  return (
    <form className="panel new-token" aria-label="New access token" onSubmit={(event) => void create(event)}>
      <label>
        Name <input name="name" dir="auto" required maxLength={255} autoComplete="off" placeholder="Backup script" />
      </label>
      <label>
        Expires{' '}
        <select name="days" defaultValue="90">
          {EXPIRIES.map(([days, name]) => (
            <option key={name} value={days ?? ''}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {scope !== 'MANAGE' && (
        <label>
          Chats{' '}
          <select name="chatId">
            <option value="">All my chats</option>
            {chats.map((chat) => (
              <option key={chat.id} value={chat.id}>
                Only {chatTitle(chat, undefined)}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset>
        <legend>Rights</legend>
        {SCOPES.map(([value, name, effect]) => (
          <label key={value} className="check">
            <input type="radio" name="scope" checked={scope === value} onChange={() => setScope(value)} />
            <span>
              {name} <small>{effect}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <Button type="submit" tone="accent">
        Create token
      </Button>
    </form>
  );
}
