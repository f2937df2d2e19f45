import { X } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { IconButton } from '../design/button.js';
import type { Batch } from './choose.js';
import { ChooseButtons } from './choose-buttons.js';
import { isEnded, needsOtherFile, shareOf, useImportQueue, type ImportJob } from './import-queue.js';
import { ImportReport } from './import-report.js';
import { useTransfer } from './use-transfer.js';
import './transfer.css';
import { counted } from '../words.js';

interface ImportPanelProps {
  /** All choices since the page was opened. */
  batches: readonly Batch[];
  isOpen: boolean;
  onClose(): void;
}

/** The queue of imports, with a report for each file. Imports continue while the panel is hidden. */
export default function ImportPanel({ batches, isOpen, onClose }: ImportPanelProps): ReactNode {
  const { jobs, skipped, add, close } = useImportQueue(useTransfer());
  const panel = useRef<HTMLElement>(null);
  const taken = useRef(0);
  useEffect(() => {
    for (const batch of batches.slice(taken.current)) void add(batch);
    taken.current = batches.length;
  }, [batches, add]);
  useEffect(() => {
    if (isOpen) panel.current?.focus();
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <section
      ref={panel}
      className="imports-panel"
      tabIndex={-1}
      aria-label="Imports"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <header>
        <h2>Imports</h2>
        <IconButton label="Hide the imports" icon={X} size="small" onClick={onClose} />
      </header>
      {jobs.length === 0 ? (
        <p>Choose export files of other products, or a folder with some. You can drop both anywhere on the page.</p>
      ) : (
        jobs.length > 1 && <Overall jobs={jobs} />
      )}
      {skipped > 0 && <p>{counted(skipped, 'file')} left out: no supported type, or beyond 1,000 files.</p>}
      <div className="reports">
        {jobs.map((job) => (
          <ImportReport key={job.id} job={job} onClose={close} />
        ))}
      </div>
      {jobs.every((job) => isEnded(job) && !needsOtherFile(job)) && (
        <footer>
          <ChooseButtons />
        </footer>
      )}
    </section>
  );
}

/** The progress of all files of the queue, by their bytes. */
function Overall({ jobs }: { jobs: readonly ImportJob[] }): ReactNode {
  const bytes = jobs.reduce((sum, { size }) => sum + size, 0);
  const done = jobs.reduce((sum, job) => sum + (isEnded(job) ? job.size : job.size * (shareOf(job) ?? 0.5)), 0);
  const chats = jobs.reduce((sum, { chatCount }) => sum + chatCount, 0);
  const ended = jobs.filter(isEnded).length;
  const failed = jobs.filter(({ state }) => state === 'failed').length;
  const text = [
    `${ended.toLocaleString('en')} of ${counted(jobs.length, 'file')}`,
    ...(chats > 0 ? [counted(chats, 'chat')] : []),
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
  ].join(', ');
  return (
    <div className="overall">
      <span role="status">{text}</span>
      {ended < jobs.length && <progress aria-label={text} value={bytes === 0 ? 0 : done / bytes} />}
    </div>
  );
}
