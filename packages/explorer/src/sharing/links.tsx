import { CreateShare, RevokeShare } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { Link } from 'lucide-react';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Button } from '../design/button.js';
import { Secret } from '../design/secret.js';
import type { Sharing, UseSharing } from './use-sharing.js';

/** Those of a share besides its path. */
const MAX_BRANCHES = 20;
type Scope = 'path' | 'chosen' | 'all';

const DAY_MS = 86_400_000;

interface LinksProps {
  sharing: Sharing;
  change: UseSharing['change'];
  /** The last message of new links; null for the head of the active branch. */
  messageId: string | null;
}

/** The links to a chat, and a form for a new one. */
export function Links({ sharing: { id: chatId, branches, shares }, change, messageId }: LinksProps): ReactNode {
  const parley = useParley();
  /** The URL of the new link, which the server does not return again. */
  const [url, setUrl] = useState('');
  const [scope, setScope] = useState<Scope>('path');
  const create = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const input = {
      chatId,
      ...optionsOf(new FormData(form)),
      allBranches: scope === 'all',
      ...(messageId !== null && { place: { messageId } }),
    };
    const created = await change(parley.run(CreateShare, { input }));
    if (created === null || !('share' in created.createShare)) return;
    setUrl(new URL(`/s#${created.createShare.share.token ?? ''}`, location.href).href);
    form.reset();
    setScope('path');
  };
  return (
    <section aria-labelledby="links">
      <h3 id="links">Links</h3>
      <p className="link-hint">
        A link shows the messages up to the {messageId === null ? 'newest' : 'chosen'} one as they are now, without
        sign-in{scope !== 'path' && `, and ${scope} branches with their names`}.
      </p>
      <form className="sharing-form" onSubmit={(event) => void create(event)}>
        <label>
          Title that readers see <input name="title" dir="auto" maxLength={255} autoComplete="off" />
        </label>
        <label>
          Your name for readers <input name="sharedBy" dir="auto" maxLength={255} autoComplete="off" />
        </label>
        <label>
          Contents{' '}
          <select value={scope} onChange={({ target }) => setScope(target.value as Scope)}>
            <option value="path">This path</option>
            <option value="chosen">Chosen branches</option>
            <option value="all">All branches</option>
          </select>
        </label>
        <label>
          Expires{' '}
          <select name="days">
            <option value="">Never</option>
            <option value="1">After a day</option>
            <option value="7">After a week</option>
            <option value="30">After 30 days</option>
          </select>
        </label>
        {scope === 'chosen' && (
          <fieldset className="link-branches">
            <legend>Branches besides this path, at most {MAX_BRANCHES}</legend>
            {branches.edges
              .filter(({ node }) => node.messageCount > 0)
              .map(({ node: { id, name } }) => (
                <label key={id} className="check">
                  <input type="checkbox" name="branch" value={name} /> <bdi>{name}</bdi>
                </label>
              ))}
          </fieldset>
        )}
        <div className="link-parts">
          <label className="check">
            <input type="checkbox" name="includeReasoning" /> Include reasoning
          </label>
          <label className="check">
            <input type="checkbox" name="includeTools" /> Include tool calls
          </label>
          <Button type="submit" tone="accent">
            Create link
          </Button>
        </div>
      </form>
      {url !== '' && (
        <Secret label="New link" value={url} copyLabel="Copy link" hint="Copy the link now: it is shown only once." />
      )}
      <ul className="dialog-list">
        {shares.edges.map(({ node: { id, title, createdAt, expiresAt, message } }) => (
          <li key={id}>
            <span>
              <Link aria-hidden />
              <span>
                <b dir="auto">{title ?? 'Link'}</b>{' '}
                <small dir="auto">
                  up to “{message.preview}” · created {day(createdAt)}
                  {expiresAt !== null && ` · expires ${new Date(expiresAt).toLocaleString()}`}
                </small>
              </span>
            </span>
            <Button onClick={() => void change(parley.run(RevokeShare, { input: { id } }))}>Revoke</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function optionsOf(form: FormData) {
  const given = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const [title, sharedBy, days] = [given('title'), given('sharedBy'), given('days')];
  const branches = form.getAll('branch').map(String);
  return {
    ...(title !== '' && { title }),
    ...(sharedBy !== '' && { sharedBy }),
    ...(branches.length > 0 && { branches }),
    ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    includeReasoning: form.has('includeReasoning'),
    includeTools: form.has('includeTools'),
  };
}

const day = (time: string) => new Date(time).toLocaleDateString();
