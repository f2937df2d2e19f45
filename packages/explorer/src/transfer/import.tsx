import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useTransfer } from '../token.js';
import { words } from '../words.js';
import { useImportQueue } from './import-queue.js';
import { ImportReport } from './import-report.js';

/** Imports files that are dropped on the page, or chosen. */
export function Import(): ReactNode {
  const { jobs, add, close } = useImportQueue(useTransfer());
  const [isOver, setIsOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
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
      <button onClick={() => input.current?.click()}>{words.import}</button>
      <input
        ref={input}
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
