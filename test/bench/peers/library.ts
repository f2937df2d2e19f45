/** A library as a subject, measured in the process that calls it, including JSON.stringify. */
import { startWorker } from '../measuring/processes.js';
import type { Size, Subject } from './tasks.js';

/** A database: a SQLite file, or a schema of a PostgreSQL. */
export type Place = { file: string } | { url: string; schema: string };

/**
 * @param program below this folder, which answers as `serveLibrary` does
 * @param node the path of the Node that runs it
 * @param places the databases; `from` is a SQLite file of Parley whose rows are copied into it
 */
export async function withLibrary<T>(
  program: string,
  node: string,
  places: Record<Size, Place & { from?: string }>,
  measure: (subject: Subject) => Promise<T>,
): Promise<T> {
  // Without the flags of this process.
  const worker = startWorker(new URL(program, import.meta.url), { execPath: node, execArgv: [] });
  try {
    await worker.ask({ places });
    return await measure({
      answer: async (task) => (await worker.ask({ answer: task })) as string,
      times: async (task, count) => (await worker.ask({ time: task, count })) as number[],
    });
  } finally {
    await worker.stop();
  }
}
