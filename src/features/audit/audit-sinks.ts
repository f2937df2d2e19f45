/** Files and standard streams for the lines of the audit log. */
import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';

export interface Sink {
  /** Maximum lines of a write. @default unlimited */
  readonly maxLines?: number;
  /**
   * Writes whole lines. Called again only after it has settled.
   * @throws SinkUnavailableError when the lines can be written later
   */
  write(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The lines of the write are not lost: they are written again. */
export class SinkUnavailableError extends Error {}

const { O_APPEND, O_CREAT, O_WRONLY } = constants;

/**
 * @param target `stdout`, `stderr`, or the path of a file
 * @throws Error when the file cannot be opened
 */
export async function openSink(target: string): Promise<Sink> {
  if (target === 'stdout' || target === 'stderr') return streamSink(process[target]);
  const sink = new FileSink(resolve(target));
  await sink.open().catch((error: unknown) => {
    throw new Error(`AUDIT_LOG: cannot open ${target}: ${String((error as NodeJS.ErrnoException).code)}`, {
      cause: error,
    });
  });
  return sink;
}

/** A file that only its owner can read. A renamed or deleted one is replaced before the next write. */
class FileSink implements Sink {
  #file: FileHandle | null = null;
  /** Whether the last write may have ended within a line. */
  #isTorn = false;

  constructor(private readonly path: string) {}

  async open(): Promise<FileHandle> {
    return (this.#file = await open(this.path, O_APPEND | O_CREAT | O_WRONLY, 0o600));
  }

  async write(lines: readonly string[]): Promise<void> {
    const text = lines.join('');
    const file = await this.#current();
    const wasTorn = this.#isTorn;
    this.#isTorn = true;
    await file.appendFile(wasTorn ? `\n${text}` : text);
    this.#isTorn = false;
  }

  async close(): Promise<void> {
    await this.#file?.close().catch(() => {});
    this.#file = null;
  }

  async #current(): Promise<FileHandle> {
    const file = this.#file;
    if (file === null) return this.open();
    const [own, there] = await Promise.all([file.stat(), stat(this.path).catch(() => null)]);
    if (there?.ino === own.ino && there.dev === own.dev) return file;
    await this.close();
    this.#isTorn = false;
    return this.open();
  }
}

function streamSink(stream: NodeJS.WriteStream): Sink {
  // A failed write is reported to its callback.
  const ignore = () => {};
  stream.on('error', ignore);
  return {
    write: (lines) =>
      new Promise((resolve, reject) =>
        stream.write(lines.join(''), (error) => (error == null ? resolve() : reject(error))),
      ),
    close: async () => void stream.off('error', ignore),
  };
}
