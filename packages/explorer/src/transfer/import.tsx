import { Download } from 'lucide-react';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { IconButton } from '../design/button.js';
import { notify } from '../design/toast.js';
import { lazyPart } from '../lazy-part.js';
import { FILES_ID, FOLDER_ID, type Batch } from './choose.js';

const ImportPanel = lazyPart(() => import('./import-panel.js'));

/** Imports files and folders that are dropped on the page, or chosen. @param hasButton whether a button opens the imports */
export function Import({ hasButton }: { hasButton: boolean }): ReactNode {
  /** Null until the first import: the panel loads with it, and keeps the imports. */
  const [batches, setBatches] = useState<readonly Batch[] | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const open = useCallback((batch?: Batch) => {
    setBatches((before) => [...(before ?? []), ...(batch === undefined ? [] : [batch])]);
    setIsOpen(true);
  }, []);
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
      // Entries and files can be read during the event only.
      const given = Array.from(event.dataTransfer?.items ?? [], (item) => item.webkitGetAsEntry() ?? item.getAsFile());
      const batch = given.filter((each) => each !== null);
      if (batch.length > 0) open(batch);
    });
    return () => stop.abort();
  }, [open]);
  const input = (id: string, label: string, isFolder: boolean) => (
    <input
      {...{ id, type: 'file', multiple: true, hidden: true, 'aria-label': label }}
      {...(isFolder && { webkitdirectory: '' })}
      onChange={({ target }) => {
        const batch = [...(target.files ?? [])];
        target.value = '';
        if (batch.length > 0) open(batch);
      }}
    />
  );
  const fail = (text: string) => {
    notify({ text, isUrgent: true });
    setIsOpen(false);
    setBatches(null);
  };
  return (
    <>
      {isOver && <p className="drop">Drop files and folders to import them.</p>}
      {hasButton && <IconButton label="Import" icon={Download} aria-expanded={isOpen} onClick={() => open()} />}
      {input(FILES_ID, 'Import', false)}
      {input(FOLDER_ID, 'Import a folder', true)}
      {batches !== null && (
        <ImportPanel batches={batches} isOpen={isOpen} onClose={() => setIsOpen(false)} onFailed={fail} />
      )}
    </>
  );
}
