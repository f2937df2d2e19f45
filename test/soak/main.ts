/**
 * `npm run soak`: a server under mixed load for an hour, with faults and hostile clients, and flat memory at the end. An
 * argument gives the minutes; `sqlite` omits PostgreSQL. `npm run soak -- faults` has followers and writers on two servers
 * during repeated faults, for some minutes on each bus, or on the named one: postgresql, redis or none.
 * `npm run soak -- database` has clients that save while PostgreSQL fails in every
 * way.
 */
import { startVitest } from 'vitest/node';
import { whyNoPostgresql } from '../support/database/embedded-postgresql.js';

const MINUTES = { 'mixed-load': 60, 'two-servers': 3, database: 10 };

const words = process.argv.slice(2);
const buses = ['postgresql', 'redis', 'none'] as const;
const named = buses.filter((bus) => words.includes(bus));
// The name of a bus selects the faults.
const isFaults = words.includes('faults') || named.length > 0;
const soak = isFaults ? 'two-servers' : words.includes('database') ? 'database' : 'mixed-load';
const [minutes = MINUTES[soak]] = words.map(Number).filter(Number.isFinite);

const vitest = await startVitest('test', [], {
  config: false,
  root: import.meta.dirname,
  include: [`${soak}.soak.ts`],
  watch: false,
  cache: false,
  pool: 'forks',
  testTimeout: 0,
  hookTimeout: 60_000,
  // The documented time until a server reports an outage.
  expect: { poll: { timeout: 10_000 } },
  // The output is the report, minute by minute.
  disableConsoleIntercept: true,
  provide: {
    databaseKind: 'sqlite',
    soak: {
      minutes,
      buses: named.length === 0 ? [...buses] : named,
      noPostgresql: whyNoPostgresql(),
      isSqliteAlone: words.includes('sqlite'),
    },
  },
});
const failed = vitest.state.getCountOfFailedTests() > 0 || vitest.state.getUnhandledErrors().length > 0;
await vitest.close();
console.log(failed ? 'FAILED' : 'PASS');
process.exit(failed ? 1 : 0);
