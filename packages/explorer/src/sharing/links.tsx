import { CreateShare, RevokeShare } from '@parley/client/operations';
import { useParley } from '@parley/client/react';
import { Copy, Link } from 'lucide-react';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Button, IconButton } from '../design/button.js';
import { copyText } from '../design/copy.js';
import { shellWords } from '../shell-words.js';
import { sharingWords } from './sharing-words.js';
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
      <h3 id="links">{sharingWords.links}</h3>
      <p className="link-hint">{messageId === null ? sharingWords.linkHint : sharingWords.linkHintAt}</p>
      <form className="sharing-form" onSubmit={(event) => void create(event)}>
        <label>
          {sharingWords.title} <input name="title" dir="auto" maxLength={255} autoComplete="off" />
        </label>
        <label>
          {sharingWords.expiry}{' '}
          <select name="days">
            {sharingWords.expiries.map(({ days, label }) => (
              <option key={label} value={days ?? ''}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <div className="link-parts">
          <label className="check">
            <input type="checkbox" name="includeReasoning" /> {sharingWords.includeReasoning}
          </label>
          <label className="check">
            <input type="checkbox" name="includeTools" /> {sharingWords.includeTools}
          </label>
          <Button type="submit" tone="accent">
            {sharingWords.createLink}
          </Button>
        </div>
      </form>
      {url !== '' && (
        <div className="new-link">
          <label>
            {sharingWords.newLink} <input readOnly value={url} onFocus={({ target }) => target.select()} />
          </label>
          <IconButton label={shellWords.copyLink} icon={Copy} onClick={() => void copyText(url)} />
          <p role="status">{sharingWords.shownOnce}</p>
        </div>
      )}
      <ul className="dialog-list">
        {shares.edges.map(({ node: { id, title, createdAt, expiresAt, message } }) => (
          <li key={id}>
            <span>
              <Link aria-hidden />
              <span>
                <b dir="auto">{title ?? sharingWords.untitledLink}</b>{' '}
                <small dir="auto">
                  {sharingWords.upTo(message.preview)} · {sharingWords.created(day(createdAt))}
                  {expiresAt !== null && ` · ${sharingWords.expiresAt(new Date(expiresAt).toLocaleString())}`}
                </small>
              </span>
            </span>
            <Button onClick={() => void change(parley.run(RevokeShare, { input: { id } }))}>
              {sharingWords.revoke}
            </Button>
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
