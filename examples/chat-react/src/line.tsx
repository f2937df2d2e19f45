import type { Message, ThreadStore } from '@parley/client';
import { useSiblings } from '@parley/client/react';
import { memo, useState } from 'react';
import { answer, contentOf } from './answer';
import { partsOf, StoredFile } from './files';

/** A message with its arrows. An unchanged message is the same object, so memo skips it. */
export const Line = memo(function Line({ message, store }: { message: Message; store: ThreadStore }) {
  const { id, name, text, data, parentId, status } = message;
  const { siblingIndex = 0, siblingCount = 1, previousId = null, nextId = null } = useSiblings(id) ?? {};
  const [edited, setEdited] = useState<string | null>(null);
  const edit = async () => {
    setEdited(null);
    const said = await store.edit(id, contentOf(edited ?? text, partsOf(data)));
    if (said.ok) await answer(store, said.value[0].id);
  };
  const arrow = (label: string, sign: string, to: string | null) => (
    <button aria-label={label} disabled={to === null} onClick={() => void (to && store.switchToSibling(to))}>
      {sign}
    </button>
  );
  return (
    <li data-name={name} data-status={status}>
      {edited === null ? (
        <p>{text || (status && '…')}</p>
      ) : (
        <form action={edit}>
          <input aria-label="Edited" value={edited} onChange={({ target }) => setEdited(target.value)} />
          <button>Save</button>
        </form>
      )}
      {/* Until the message is saved, its files cannot be read. */}
      {status === undefined && partsOf(data).map((part, n) => <StoredFile key={n} part={part} messageId={id} />)}
      {siblingCount > 1 && (
        <span>
          {arrow('Previous version', '‹', previousId)}
          {siblingIndex + 1}/{siblingCount}
          {arrow('Next version', '›', nextId)}
        </span>
      )}
      {name === 'user' && <button onClick={() => setEdited(text)}>Edit</button>}
      {name === 'assistant' && status === undefined && parentId !== null && (
        <button onClick={() => void answer(store, parentId)}>Regenerate</button>
      )}
    </li>
  );
});
