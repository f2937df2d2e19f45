import { useEffect, useRef, useState, type ReactNode } from 'react';
import { linkTo } from '../place.js';
import { useAuthorization } from '../token.js';
import { words } from '../words.js';
import { importLines, type ImportLine } from './import-lines.js';

interface Progress {
  file: string;
  chats: { id: string; title: string }[];
  faults: string[];
  totals: string | null;
}

/** Takes a file that is dropped anywhere on the page, or chosen; what came of it is told as it goes on. */
export function Import(): ReactNode {
  const authorization = useAuthorization();
  const [isOver, setIsOver] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File) => {
    const now: Progress = { file: file.name, chats: [], faults: [], totals: null };
    setProgress(now);
    const tell = (line: ImportLine) => {
      if (line.conversation?.chatId) {
        now.chats.push({ id: line.conversation.chatId, title: line.conversation.title ?? words.untitled });
      } else if (line.conversation) now.faults.push(JSON.stringify(line.conversation));
      if ('couldNotRead' in line && !Array.isArray(line.couldNotRead)) now.faults.push(faultOf(line.couldNotRead));
      if (line.totals !== undefined) now.totals = JSON.stringify(line.totals);
      setProgress({ ...now });
    };
    try {
      await importLines(file, authorization, tell);
    } catch (reason) {
      now.faults.push((reason as Error).message);
    }
    setProgress({ ...now, totals: now.totals ?? words.stopped });
  };
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
      event.preventDefault();
      setIsOver(false);
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) void take(file);
    });
    return () => stop.abort();
  });
  return (
    <>
      {isOver && <p className="drop">{words.drop}</p>}
      <button onClick={() => input.current?.click()}>{words.import}</button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={words.import}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) void take(file);
          target.value = '';
        }}
      />
      {progress !== null && (
        <section className="report" aria-label={words.reportOf(progress.file)} role="status">
          <h3 dir="auto">{words.reportOf(progress.file)}</h3>
          <p>{words.imported(progress.chats.length)}</p>
          <ul>
            {progress.chats.slice(0, 20).map(({ id, title }) => (
              <li key={id}>
                <a href={linkTo({ chatId: id })} dir="auto">
                  {title}
                </a>
              </li>
            ))}
          </ul>
          {progress.faults.slice(0, 20).map((fault, n) => (
            <p key={n} className="fault" dir="auto">
              {fault}
            </p>
          ))}
          {progress.totals === null ? (
            <progress aria-label={words.reportOf(progress.file)} />
          ) : (
            <button onClick={() => setProgress(null)}>{words.close}</button>
          )}
        </section>
      )}
    </>
  );
}

const faultOf = (fault: unknown) => {
  const { place, reason } = (fault ?? {}) as { place?: string; reason?: string };
  return [place, reason].filter(Boolean).join(': ') || JSON.stringify(fault);
};
