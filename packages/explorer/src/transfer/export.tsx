import { useState, type ReactNode } from 'react';
import { useTransfer } from '../token.js';
import { words } from '../words.js';

const FORMATS = ['parley', 'markdown', 'html', 'chatgpt', 'open-webui', 'librechat', 'oasst', 'completions'] as const;

/** Takes a chat away as a file. */
export function Export({ chatId }: { chatId: string }): ReactNode {
  const transfer = useTransfer();
  const [failed, setFailed] = useState('');
  const download = async (form: FormData) => {
    setFailed('');
    const format = form.get('format');
    try {
      const { fileName, blob } = await transfer.exportChats({ chatId, ...(typeof format === 'string' && { format }) });
      const url = URL.createObjectURL(await blob());
      Object.assign(document.createElement('a'), { href: url, download: fileName }).click();
      URL.revokeObjectURL(url);
    } catch (reason) {
      setFailed((reason as Error).message);
    }
  };
  return (
    <details>
      <summary>{words.export}</summary>
      <form
        className="asked"
        // No action: React would forget the format behind it.
        onSubmit={(event) => {
          event.preventDefault();
          void download(new FormData(event.currentTarget));
        }}
      >
        <label>
          {words.format}{' '}
          <select name="format">
            {FORMATS.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        <button>{words.download}</button>
        {failed !== '' && <span role="alert">{failed}</span>}
      </form>
    </details>
  );
}
