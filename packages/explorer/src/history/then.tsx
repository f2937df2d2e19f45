import { useParley } from '@parley/client/react';
import { useMemo, useState, type ReactNode } from 'react';
import { Body } from '../thread/body.js';
import { Author } from '../thread/message-header.js';
import { usePath } from '../requests/use-path.js';
import { useRead } from '../requests/use-read.js';
import { Button } from '../design/button.js';
import { branchesAt, readLog, type LoggedEvent } from './events.js';

/** In a narrow window the state is above the log: scroll to it. */
const show = (section: HTMLElement | null): void => section?.scrollIntoView({ block: 'nearest' });

/** The chat after an event, read-only. */
export function Then({ chatId, seq, onClose }: { chatId: string; seq: number; onClose: () => void }): ReactNode {
  const parley = useParley();
  const [log, setLog] = useState<readonly LoggedEvent[] | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const [failed] = useRead((signal) => readLog(parley, chatId, signal).then(setLog), [parley, chatId, seq]);
  const branches = useMemo(() => branchesAt(log ?? [], seq), [log, seq]);
  const headId = shown ?? (branches.find(({ isActive }) => isActive) ?? branches[0])?.headId ?? null;
  const steps = usePath(headId);
  if (failed !== '') return <p role="alert">{failed}</p>;
  if (log === null) return <p className="hint">Loading…</p>;
  const title = `The chat after event ${seq}`;
  return (
    <section className="then" aria-label={title} ref={show}>
      <header>
        <h3>{title}</h3>
        <Button onClick={onClose}>Close</Button>
      </header>
      <ul className="branches-then">
        {branches.map(({ name, headId: head, isActive }) => (
          <li key={name}>
            <Button aria-pressed={head === headId} disabled={head === null} onClick={() => setShown(head)}>
              <span dir="auto">{name}</span>
              {isActive && ` (active)`}
            </Button>
          </li>
        ))}
      </ul>
      {steps === null && <p className="hint">Loading…</p>}
      {steps?.map(({ id, name, text, data, createdBy }) => (
        <div key={id} className="step" data-role={name}>
          <header>
            <Author name={name} createdBy={createdBy} />
          </header>
          <Body text={text} data={data} messageId={id} />
        </div>
      ))}
    </section>
  );
}
