/** A PostgreSQL to measure on, from npm, with the settings that it comes with. */
import { startPostgresql } from '../../support/database/embedded-postgresql.js';
import type { Ratio } from './report.js';

/** None of the settings with which tests are in a hurry. */
const AS_IT_COMES: readonly string[] = [];

/** Runs a server, and what needs one. @param work is given a database's URL, to which a schema may be added */
export async function* withPostgresql(work: (url: string) => AsyncGenerator<Ratio>): AsyncGenerator<Ratio> {
  const server = await startPostgresql(AS_IT_COMES);
  try {
    yield* work(server.url);
  } finally {
    await server.remove();
  }
}
