/** Runs Parley's library on its own rows, and measures its tasks. */
import { PostgresContextStore, SqliteContextStore } from '../../../dist/exports/parley.js';
import * as library from '../../../dist/exports/context.js';
import { serveLibrary } from './library-process.mjs';

const viewer = { userId: 'local', isAdmin: true };

serveLibrary(library, ({ file, url, schema }) =>
  file === undefined
    ? new PostgresContextStore({ pool: `${url}?schema=${schema}`, viewer })
    : new SqliteContextStore(file),
);
