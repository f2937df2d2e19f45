import type { ExportOptions } from '@parley/client/transfer';
import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { Modal } from '../design/modal.js';
import { counted } from '../words.js';
import { FORMATS, useLosses } from './export-formats.js';
import { useTransfer } from './use-transfer.js';
import './transfer.css';

const PATH_KINDS = {
  active: 'Active path',
  leaves: 'All paths, one to each end',
  checkpoints: 'Paths to the checkpoints',
} as const;

interface ExportDialogProps {
  chatIds: readonly string[];
  onClose(): void;
}

/** Downloads some chats, or all chats of the user, and shows the losses of the format first. */
export default function ExportDialog({ chatIds, onClose }: ExportDialogProps): ReactNode {
  const transfer = useTransfer();
  const [failed, setFailed] = useState('');
  const [read, setRead] = useState<number | null>(null);
  const [name, setName] = useState('parley');
  const [isAll, setIsAll] = useState(false);
  const [paths, setPaths] = useState<keyof typeof PATH_KINDS>('active');
  const [wantsZip, setWantsZip] = useState(false);
  const { hasPaths, hasFileEach, isLines } = FORMATS.find((format) => format.name === name) ?? {};
  const isSeveral = !isAll && chatIds.length > 1;
  const hasZip = name === 'parley' ? !isSeveral : hasFileEach === true && isAll;
  const zip = hasZip && wantsZip;
  const losses = useLosses(name, zip);
  const download = async () => {
    setFailed('');
    const options: ExportOptions = { format: name, zip, ...(hasPaths && { paths }) };
    try {
      const blobs: Blob[] = [];
      for (const part of isAll ? [{}] : chatIds.map((chatId) => ({ chatId }))) {
        if (isSeveral) setRead(blobs.length);
        const { fileName, blob } = await transfer.exportChats({ ...part, ...options });
        const content = await blob();
        blobs.push(content);
        if (!isSeveral || isLines !== true) save(content, fileName);
      }
      if (isSeveral && isLines === true) save(new Blob(blobs), 'chats.jsonl');
    } catch (reason) {
      setFailed((reason as Error).message);
    }
    setRead(null);
  };
  return (
    <Modal title="Export" isOpen onClose={onClose}>
      <form
        // Without `action`: React would reset the fields.
        onSubmit={(event) => {
          event.preventDefault();
          void download();
        }}
      >
        <label>
          Chats
          <select value={String(isAll)} onChange={({ target }) => setIsAll(target.value === 'true')}>
            <option value="false">
              {chatIds.length === 1 ? 'This chat' : `${chatIds.length.toLocaleString('en')} selected chats`}
            </option>
            <option value="true">All my chats</option>
          </select>
        </label>
        <label>
          Format
          <select value={name} onChange={({ target }) => setName(target.value)}>
            {FORMATS.map((format) => (
              <option key={format.name} value={format.name}>
                {format.label}
              </option>
            ))}
          </select>
        </label>
        {hasPaths ? (
          <label>
            Paths
            <select value={paths} onChange={({ target }) => setPaths(target.value as typeof paths)}>
              {Object.entries(PATH_KINDS).map(([kind, label]) => (
                <option key={kind} value={kind}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <p>The file contains the whole graph.</p>
        )}
        {hasZip && (
          <label className="check">
            <input type="checkbox" checked={wantsZip} onChange={({ target }) => setWantsZip(target.checked)} />{' '}
            {name === 'parley' ? 'Zip with the files of messages' : 'Zip with a file for each chat'}
          </label>
        )}
        {isSeveral && <p>{isLines ? 'The download is one file.' : 'The download has a file for each chat.'}</p>}
        <div className="export-losses" aria-live="polite">
          {losses !== null && losses.length > 0 && (
            <>
              <p>The file does not contain:</p>
              <ul>
                {losses.map((loss) => (
                  <li key={loss}>{loss}</li>
                ))}
              </ul>
            </>
          )}
        </div>
        {failed !== '' && <p role="alert">{failed}</p>}
        {read !== null && (
          <p role="status">
            {read.toLocaleString('en')} of {counted(chatIds.length, 'chat')} read
          </p>
        )}
        <footer>
          <Button type="submit" tone="accent" disabled={read !== null}>
            Download
          </Button>
        </footer>
      </form>
    </Modal>
  );
}

function save(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click();
  URL.revokeObjectURL(url);
}
