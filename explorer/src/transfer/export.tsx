import { useState, type ReactNode } from 'react';
import { useAuthorization } from '../token.js';
import { words } from '../words.js';

const FORMATS = ['parley', 'markdown', 'html', 'chatgpt', 'open-webui', 'librechat', 'oasst', 'completions'] as const;

/** Takes a chat away as a file. */
export function Export({ chatId }: { chatId: string }): ReactNode {
  const authorization = useAuthorization();
  const [failed, setFailed] = useState('');
  const download = async (form: FormData) => {
    setFailed('');
    const format = form.get('format');
    const query = new URLSearchParams({ chatId, ...(typeof format === 'string' && { format }) });
    const answer = await fetch(`/export?${query.toString()}`, { headers: authorization });
    if (!answer.ok) {
      const { errors } = (await answer.json()) as { errors: { message: string }[] };
      setFailed(errors[0]?.message ?? answer.statusText);
      return;
    }
    const [, name = 'chat'] = /filename="([^"]*)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
    const url = URL.createObjectURL(await answer.blob());
    Object.assign(document.createElement('a'), { href: url, download: name }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <details>
      <summary>{words.export}</summary>
      <form action={download} className="asked">
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
