import { useState, type ReactNode } from 'react';
import { Button } from '../design/button.js';
import { Modal } from '../design/modal.js';
import { useTransfer } from '../token.js';
import { words } from '../words.js';

const FORMATS = ['parley', 'markdown', 'html', 'chatgpt', 'open-webui', 'librechat', 'oasst', 'completions'] as const;

/** Formats whose zip has a file for each chat. */
const WITH_FILE_PER_CHAT: readonly string[] = ['markdown', 'html', 'librechat'];

interface ExportDialogProps {
  chatIds: readonly string[];
  onClose(): void;
}

/** Downloads some chats, each as a file, or all chats of the user. */
export default function ExportDialog({ chatIds, onClose }: ExportDialogProps): ReactNode {
  const transfer = useTransfer();
  const [failed, setFailed] = useState('');
  const [format, setFormat] = useState<string>(FORMATS[0]);
  const download = async (form: FormData) => {
    setFailed('');
    const parts = form.has('all') ? [{}] : chatIds.map((chatId) => ({ chatId }));
    try {
      for (const part of parts) {
        const { fileName, blob } = await transfer.exportChats({ ...part, format, zip: form.has('zip') });
        const url = URL.createObjectURL(await blob());
        Object.assign(document.createElement('a'), { href: url, download: fileName }).click();
        URL.revokeObjectURL(url);
      }
    } catch (reason) {
      setFailed((reason as Error).message);
    }
  };
  return (
    <Modal title={words.export} isOpen onClose={onClose}>
      <form
        // Without `action`: React would reset the fields.
        onSubmit={(event) => {
          event.preventDefault();
          void download(new FormData(event.currentTarget));
        }}
      >
        <label>
          {words.format}
          <select value={format} onChange={({ target }) => setFormat(target.value)}>
            {FORMATS.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        <label className="check">
          <input type="checkbox" name="all" /> {words.allChats}
        </label>
        {WITH_FILE_PER_CHAT.includes(format) && (
          <label className="check">
            <input type="checkbox" name="zip" /> {words.zip}
          </label>
        )}
        {failed !== '' && <p role="alert">{failed}</p>}
        <footer>
          <Button type="submit" tone="accent">
            {words.download}
          </Button>
        </footer>
      </form>
    </Modal>
  );
}
