import { useState, type ReactNode } from 'react';
import { useTransfer } from '../token.js';
import { words } from '../words.js';

const FORMATS = ['parley', 'markdown', 'html', 'chatgpt', 'open-webui', 'librechat', 'oasst', 'completions'] as const;

/** Formats whose zip has a file for each chat. */
const WITH_FILE_PER_CHAT: readonly string[] = ['markdown', 'html', 'librechat'];

/** Downloads a chat, or all chats of the user. */
export function Export({ chatId }: { chatId: string }): ReactNode {
  const transfer = useTransfer();
  const [failed, setFailed] = useState('');
  const [format, setFormat] = useState<string>(FORMATS[0]);
  const download = async (form: FormData) => {
    setFailed('');
    const chats = form.has('all') ? {} : { chatId };
    try {
      const { fileName, blob } = await transfer.exportChats({ ...chats, format, zip: form.has('zip') });
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
        className="text-prompt"
        // Without `action`: React would reset the fields.
        onSubmit={(event) => {
          event.preventDefault();
          void download(new FormData(event.currentTarget));
        }}
      >
        <label>
          {words.format}{' '}
          <select value={format} onChange={({ target }) => setFormat(target.value)}>
            {FORMATS.map((format) => (
              <option key={format}>{format}</option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" name="all" /> {words.allChats}
        </label>
        {WITH_FILE_PER_CHAT.includes(format) && (
          <label>
            <input type="checkbox" name="zip" /> {words.zip}
          </label>
        )}
        <button>{words.download}</button>
        {failed !== '' && <span role="alert">{failed}</span>}
      </form>
    </details>
  );
}
