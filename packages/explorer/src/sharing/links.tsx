import { CreateShare, RevokeShare } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { Link } from 'lucide-react';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Button } from '../design/button.js';
import { Secret } from '../design/secret.js';
import type { Sharing, UseSharing } from './use-sharing.js';

const DAY_MS = 86_400_000;

interface LinksProps {
  sharing: Sharing;
  change: UseSharing['change'];
  /** The last message of new links; null for the head of the active branch. */
  messageId: string | null;
}

/** The links to a chat, and a form for a new one. */
export function Links({ sharing: { id: chatId, shares }, change, messageId }: LinksProps): ReactNode {
  const parley = useParley();
  /** The URL of the new link, which the server does not return again. */
  const [url, setUrl] = useState('');
  const create = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const input = { chatId, ...optionsOf(new FormData(form)), ...(messageId !== null && { place: { messageId } }) };
    const created = await change(parley.run(CreateShare, { input }));
    if (created === null || !('share' in created.createShare)) return;
    setUrl(new URL(`/s#${created.createShare.share.token ?? ''}`, location.href).href);
    form.reset();
  };
  return (
    <section aria-labelledby="links">
      <h3 id="links">Links</h3>
      <p className="link-hint">
        A link shows the messages up to the {messageId === null ? 'newest' : 'chosen'} one as they are now, without
        sign-in.
      </p>
      <form className="sharing-form" onSubmit={(event) => void create(event)}>
        <label>
          Title that readers see <input name="title" dir="auto" maxLength={255} autoComplete="off" />
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
  const [title, days] = [given('title'), given('days')];
  return {
    ...(title !== '' && { title }),
    ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
    includeReasoning: form.has('includeReasoning'),
    includeTools: form.has('includeTools'),
  };
}

const day = (time: string) => new Date(time).toLocaleDateString();
