import type { ChatFilter } from '@parley/client';
import type { ReactNode, SubmitEvent } from 'react';
import { useIsAdmin } from '../admin/use-is-admin.js';
import { Button } from '../design/button.js';

/** The filter of the chat list. @param onFilter called with null for all chats */
export default function Filter({ onFilter }: { onFilter: (filter: ChatFilter | null) => void }): ReactNode {
  const isAdmin = useIsAdmin(true);
  // Without `action`: React would reset the fields, which show the filter.
  const apply = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onFilter(filterOf(new FormData(event.currentTarget)));
  };
  return (
    <form className="filter" aria-label="Filter" onSubmit={apply}>
      <label>
        Title <input name="title" dir="auto" />
      </label>
      <label>
        Since <input name="since" type="date" />
      </label>
      <label>
        Until <input name="until" type="date" />
      </label>
      <label>
        Metadata: key <input name="key" autoComplete="off" />
      </label>
      <label>
        Metadata: value <input name="value" autoComplete="off" />
      </label>
      {isAdmin && (
        <label>
          User <input name="userId" autoComplete="off" />
        </label>
      )}
      <label className="check">
        <input type="checkbox" name="own" /> Only my own chats
      </label>
      <footer>
        <Button type="submit" tone="accent">
          Apply
        </Button>
        <Button type="reset" onClick={() => onFilter(null)}>
          All
        </Button>
      </footer>
    </form>
  );
}

function filterOf(form: FormData): ChatFilter | null {
  const given = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const [title, since, until, key, value, userId] = ['title', 'since', 'until', 'key', 'value', 'userId'].map(given);
  const filter: ChatFilter = {
    ...(title != null && { title }),
    ...(since != null && { updatedAfter: new Date(`${since}T00:00`).toISOString() }),
    ...(until != null && { updatedBefore: new Date(`${until}T23:59:59.999`).toISOString() }),
    ...(key != null && { metadata: [{ key, ...(value != null && { equals: valueOf(value) }) }] }),
    ...(userId != null && { userId }),
    ...(form.has('own') && { includeShared: false, ...(userId == null && { mine: true }) }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

/** JSON is used as JSON, any other value as a text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
