/** The library that Parley's contract comes from, measured in the process that calls it, including JSON.stringify. */
import { startWorker } from '../measuring/processes.js';
import type { Size, Subject } from './tasks.js';

/** A copy of rows from Parley's SQLite file into another file, or into a schema of a PostgreSQL. */
export type Copy = { from: string } & ({ file: string } | { url: string; schema: string });

/**
 * @param node the path of the Node that runs it
 * @param copies the databases to create
 */
export async function withOriginal<T>(
  node: string,
  copies: Record<Size, Copy>,
  measure: (subject: Subject) => Promise<T>,
): Promise<T> {
  // Without the flags of this process.
  const worker = startWorker(new URL('./original-process.mjs', import.meta.url), { execPath: node, execArgv: [] });
  try {
    await worker.ask({ copies });
    return await measure({
      answer: async (task) => (await worker.ask({ answer: task })) as string,
      times: async (task, count) => (await worker.ask({ time: task, count })) as number[],
    });
  } finally {
    await worker.stop();
  }
}
