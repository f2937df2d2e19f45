import { useParley } from '@parley/client/react';
import { useState, type ReactNode } from 'react';
import { jsonLines } from '@parley/transport/json-lines';
import { LiftHold, ReadUsers, SetHold, SetQuota, type ReadUsersQuery } from '../generated/operations.js';
import { linkTo } from '../place.js';
import { useRead } from '../requests/use-read.js';
import { ask, type Question } from '../design/ask.js';
import { Button } from '../design/button.js';
import { bytes, counted } from '../words.js';
import { Health } from './health.js';
import './users.css';

/** The users with their counts, storage and legal holds, for admins, and the health of the server. */
export default function Users(): ReactNode {
  const parley = useParley();
  const [search, setSearch] = useState('');
  const [page, setPage] = useState<ReadUsersQuery['users'] | null>(null);
  const [erased, setErased] = useState({ count: 0, result: '' });
  const asked = { first: 50, search: search === '' ? null : search };
  const [failed] = useRead(
    (signal) => parley.run(ReadUsers, asked, signal).then(({ users }) => setPage(users)),
    [parley, search, erased.count],
  );
  const more = async () => {
    const { users } = await parley.run(ReadUsers, { ...asked, after: page?.pageInfo.endCursor ?? null });
    setPage((known) => ({ ...users, edges: [...(known?.edges ?? []), ...users.edges] }));
  };
  const erase = async (id: string) => {
    setErased(({ count }) => ({ count, result: `Erasing ${id}…` }));
    const result = await eraseUser(id).then(
      ({ removed, isInLog }) =>
        `${id} was erased: ${counted(removed.chats, 'chat')} with ${counted(removed.messages, 'message')}.` +
        (isInLog ? ' The write-ahead log of the database still contains the data: erase the user again later.' : ''),
      (reason: Error) => reason.message,
    );
    setErased(({ count }) => ({ count: count + 1, result }));
  };
  const change = (work: Promise<unknown>) =>
    void work.then(
      () => setErased(({ count }) => ({ count: count + 1, result: 'Saved.' })),
      (reason: Error) => setErased(({ count }) => ({ count, result: reason.message })),
    );
  if (failed !== '') return <p role="alert">{failed}</p>;
  return (
    <article className="users">
      <Health />
      <label>
        Search users <input type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
      </label>
      {page === null ? (
        <p className="hint">Loading…</p>
      ) : (
        <div className="wide" tabIndex={0} role="group" aria-label="Users">
          <table>
            <thead>
              <tr>
                <th scope="col">User</th>
                <th scope="col">Chats</th>
                <th scope="col">Messages</th>
                <th scope="col">Storage</th>
                <th scope="col">Last active</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {page.edges.map(({ node }) => (
                <UserRow key={node.id} user={node} change={change} onErase={() => void erase(node.id)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {page?.pageInfo.hasNextPage && <Button onClick={() => void more()}>Show more</Button>}
      <p role="status" dir="auto">
        {erased.result}
      </p>
    </article>
  );
}

interface UserRowProps {
  user: ReadUsersQuery['users']['edges'][number]['node'];
  change(work: Promise<unknown>): void;
  onErase(): void;
}

const MEGABYTE = 1_000_000;
const MINUTES = { dateStyle: 'medium', timeStyle: 'short' } as const;

/** The counts of a user, and what admins may change: quota, legal hold, erasure. */
function UserRow({ user, change, onErase }: UserRowProps): ReactNode {
  const parley = useParley();
  const { id, chatCount, messageCount, lastActiveAt, storage, legalHold } = user;
  const { usedBytes, quotaBytes } = storage;
  const asking = (question: Question, answered: (text: string) => void) => () =>
    void ask(question).then((text) => text !== null && answered(text));
  return (
    <tr>
      <th scope="row">
        <a href={linkTo({ page: 'users', userId: id })} aria-label={`Chats of ${id}`} dir="auto">
          {id}
        </a>{' '}
        {legalHold !== null && (
          <span className="chip" title={legalHold.reason}>
            Legal hold
          </span>
        )}
      </th>
      <td>{chatCount.toLocaleString()}</td>
      <td>{messageCount.toLocaleString()}</td>
      <td>
        {bytes(usedBytes)}
        {quotaBytes !== null && ` of ${bytes(quotaBytes)}`}
      </td>
      <td>{lastActiveAt === null ? '' : new Date(lastActiveAt).toLocaleString(undefined, MINUTES)}</td>
      <td>
        <div className="user-actions">
          {/* Without quotas, the server refuses one. */}
          {quotaBytes !== null && (
            <Button
              onClick={asking(
                {
                  ...{ title: `Quota of ${id}`, action: 'Set quota', value: String(quotaBytes / MEGABYTE) },
                  label: `Storage of ${id} in MB; 0 for the quota of the server`,
                },
                (text) =>
                  change(
                    parley.run(SetQuota, {
                      input: { userId: id, bytes: Number(text) === 0 ? null : Number(text) * MEGABYTE },
                    }),
                  ),
              )}
            >
              Quota
            </Button>
          )}
          {legalHold === null ? (
            <Button
              onClick={asking(
                {
                  ...{ title: `Legal hold on ${id}`, action: 'Hold' },
                  label: `Reason of the legal hold on ${id}, which refuses deletions`,
                },
                (reason) => change(parley.run(SetHold, { input: { userId: id, reason } })),
              )}
            >
              Hold
            </Button>
          ) : (
            <Button onClick={() => change(parley.run(LiftHold, { input: { userId: id } }))}>Lift hold</Button>
          )}
          <Button
            className="button is-dangerous"
            onClick={asking(
              {
                ...{ title: `Erase ${id}`, action: 'Erase', expected: id },
                label: `All chats of ${id} are deleted permanently. Make sure that the user cannot sign in any more: chats that are created meanwhile stay. Type the id to confirm`,
              },
              onErase,
            )}
          >
            Erase
          </Button>
        </div>
      </td>
    </tr>
  );
}

/** The response of an erasure: see docs/operations.md of the server. */
interface Erasure {
  removed: { chats: number; messages: number };
  /** Whether the write-ahead log of the database still contains the data. */
  isInLog: boolean;
}

/** @throws Error with the reason why the erasure failed or is incomplete */
async function eraseUser(userId: string): Promise<Erasure> {
  const response = await fetch(`/users?${new URLSearchParams({ userId }).toString()}`, { method: 'DELETE' });
  let last: { erased?: Erasure; errors?: { message: string }[] } = {};
  for await (const line of response.body === null ? [] : jsonLines(response.body)) last = line as typeof last;
  const { erased, errors } = last;
  if (erased === undefined)
    throw new Error(errors?.[0]?.message ?? 'The server stopped before the end: erase the user again to continue.');
  return erased;
}
