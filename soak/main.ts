/**
 * `npm run soak`: followers and writers on two servers at once, while everything breaks over and over. It runs the fault
 * tests in their long form; an argument says for how many minutes each, and another one where: postgresql, redis or none.
 */
import { startVitest } from 'vitest/node';
import { whyNoPostgresql } from '../test/support/embedded-postgresql.js';

const MINUTES = 3;

const [minutes = MINUTES] = process.argv.slice(2).map(Number).filter(Number.isFinite);
const buses = ['postgresql', 'redis', 'none'] as const;
const wanted = buses.filter((bus) => process.argv.includes(bus));

const vitest = await startVitest('test', [], {
  config: false,
  root: import.meta.dirname,
  include: ['two-servers.soak.ts'],
  watch: false,
  cache: false,
  pool: 'forks',
  testTimeout: 0,
  hookTimeout: 60_000,
  // What it prints is the report, minute by minute.
  disableConsoleIntercept: true,
  provide: {
    databaseKind: 'sqlite',
    soak: { minutes, buses: wanted.length === 0 ? [...buses] : wanted, noPostgresql: whyNoPostgresql() },
  },
});
const failed = vitest.state.getCountOfFailedTests() > 0 || vitest.state.getUnhandledErrors().length > 0;
await vitest.close();
console.log(failed ? 'FAILED' : 'PASS');
process.exit(failed ? 1 : 0);
