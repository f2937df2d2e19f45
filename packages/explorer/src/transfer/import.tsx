import { useEffect, useRef, useState, type ReactNode } from 'react';
import { linkTo } from '../place.js';
import { useTransfer } from '../token.js';
import { words } from '../words.js';

/** What a report names, of as many as there are: chats, and what could not be read. */
const SHOWN = 20;

interface Progress {
  file: string;
  chats: { id: string; title: string }[];
  /** How many of them were there already, as they are in the file. */
  unchanged: number;
  faults: string[];
  /** Ends it; null once it has ended. */
  stop: (() => void) | null;
}

/** Takes a file that is dropped anywhere on the page, or chosen; what came of it is told as it goes on. */
export function Import(): ReactNode {
  const transfer = useTransfer();
  const [isOver, setIsOver] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File) => {
    const stopping = new AbortController();
    const now: Progress = { file: file.name, chats: [], unchanged: 0, faults: [], stop: () => stopping.abort() };
    setProgress(now);
    try {
      for await (const line of transfer.importChats(file, { signal: stopping.signal })) {
        if ('conversation' in line) {
          if (line.conversation.result === 'unchanged') now.unchanged++;
          now.chats.push({
            id: line.conversation.chatId,
            title: line.conversation.title ?? `${words.untitled}, ${line.conversation.place}`,
          });
        } else if (!('totals' in line)) now.faults.push(`${line.couldNotRead.place}: ${line.couldNotRead.reason}`);
        setProgress({ ...now });
      }
    } catch (reason) {
      now.faults.push(stopping.signal.aborted ? words.stopped : (reason as Error).message);
    }
    setProgress({ ...now, stop: null });
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
          <p>
            {words.chatsCount(progress.chats.length)}
            {progress.unchanged > 0 && `, ${words.unchanged(progress.unchanged)}`}
          </p>
          <ul>
            {progress.chats.slice(0, SHOWN).map(({ id, title }) => (
              <li key={id}>
                <a href={linkTo({ chatId: id })} dir="auto">
                  {title}
                </a>
              </li>
            ))}
          </ul>
          {progress.chats.length > SHOWN && <p className="rest">{words.between(progress.chats.length - SHOWN)}</p>}
          {progress.faults.slice(0, SHOWN).map((fault, n) => (
            <p key={n} className="fault" dir="auto">
              {fault}
            </p>
          ))}
          {progress.faults.length > SHOWN && <p className="fault">{words.between(progress.faults.length - SHOWN)}</p>}
          <footer>
            {progress.stop !== null ? (
              <>
                <progress aria-label={words.reportOf(progress.file)} />
                <button onClick={progress.stop}>{words.stop}</button>
              </>
            ) : (
              <button onClick={() => setProgress(null)}>{words.close}</button>
            )}
          </footer>
        </section>
      )}
    </>
  );
}
