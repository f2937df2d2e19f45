import { Download } from 'lucide-react';
import { IconButton } from '../design/button.js';
import { useEffect, useState, type ReactNode } from 'react';
import { useTransfer } from '../token.js';
import { words } from '../words.js';
import { useImportQueue } from './import-queue.js';
import { ImportReport } from './import-report.js';

/** Opens the dialog of the browser for files to import. */
export function chooseImport(): void {
  document.getElementById(INPUT_ID)?.click();
}

const INPUT_ID = 'import-files';

/** Imports files that are dropped on the page, or chosen. */
export function Import(): ReactNode {
  const { jobs, add, close } = useImportQueue(useTransfer());
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', listener: (event: DragEvent) => void) =>
      addEventListener(type, listener, { signal: stop.signal });
    on('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setIsOver(true);
    });
    on('dragleave', (event) => {
      if (event.relatedTarget === null) setIsOver(false);
    });
    on('drop', (event) => {
      setIsOver(false);
      // The composer attaches the files.
      if (event.defaultPrevented) return;
      event.preventDefault();
      add(event.dataTransfer?.files ?? []);
    });
    return () => stop.abort();
  }, [add]);
  return (
    <>
      {isOver && <p className="drop">{words.drop}</p>}
      <IconButton label={words.import} icon={Download} onClick={chooseImport} />
      <input
        id={INPUT_ID}
        type="file"
        multiple
        hidden
        aria-label={words.import}
        onChange={({ target }) => {
          add(target.files ?? []);
          target.value = '';
        }}
      />
      {jobs.length > 0 && (
        <div className="reports">
          {jobs.map((job) => (
            <ImportReport key={job.id} job={job} onClose={() => close(job)} />
          ))}
        </div>
      )}
    </>
  );
}
