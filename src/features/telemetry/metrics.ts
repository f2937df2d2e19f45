/** The Prometheus metrics of a server; docs/operations.md describes them. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { OperationEntry } from '../../operation-entry.js';
import type { StatementRun } from './traces.js';
import { readCounter, readGauge } from '../../system/read-metrics.js';

/**
 * Bounds the values of a label that clients choose, because each value is a time series in a metrics server. The first
 * values are kept; later ones share one.
 */
export class BoundedValues {
  static readonly other = 'other';
  readonly #kept = new Set<string>();

  constructor(
    private readonly limit: number,
    private readonly maxLength = 100,
  ) {}

  /** The label of a value, which is kept while there is space. */
  keep(value: string): string {
    if (this.#kept.has(value)) return value;
    if (this.#kept.size >= this.limit || value.length > this.maxLength) return BoundedValues.other;
    this.#kept.add(value);
    return value;
  }

  /** The label of a value, if it was kept before. */
  known(value: string): string {
    return this.#kept.has(value) ? value : BoundedValues.other;
  }
}

/** Maximum of operation names with separate series; the others share one. */
const MAX_NAMES = 200;

/** Codes are the server's own, and far fewer: a safeguard against codes derived from input. */
const MAX_CODES = 100;

/** Seconds. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const STATEMENT_DURATIONS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30];

/** Values that are read at each scrape. */
export interface Readings {
  connections(): number;
  sockets(): number;
  subscriptions(): { clients: number; groups: number; delivered: number };
  feeds(): { chats: number; unread: number; behind: number };
  /** 'none' when the server uses no bus. */
  bus(): 'up' | 'down' | 'none';
  /** The running fill of values that messages of older versions lack. */
  fill(): { done: number; total: number } | null;
  /** Whether the database answers, and its migrations. Settles within seconds. */
  health(): Promise<{
    isReady: boolean;
    database: 'up' | 'read-only' | 'down';
    migrations: { applied: number; expected: number } | null;
  }>;
  /** The database's pools of connections. */
  pools(): readonly { name: string; size: number; used: number; waiting: number }[];
}

export class Metrics {
  readonly registry = new Registry();
  readonly #names = new BoundedValues(MAX_NAMES);
  readonly #codes = new BoundedValues(MAX_CODES);

  readonly #operations = new Counter({
    name: 'parley_operations_total',
    help: 'GraphQL operations that have ended, by type, name and result code; subscriptions when they have begun.',
    labelNames: ['type', 'name', 'code'] as const,
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: 'parley_operation_duration_seconds',
    help: 'Duration of executed GraphQL operations.',
    labelNames: ['type', 'name'] as const,
    buckets: DURATIONS,
    registers: [this.registry],
  });
  readonly #statements = new Histogram({
    name: 'parley_sql_statement_duration_seconds',
    help: 'Duration of SQL statements, by kind: change or read.',
    labelNames: ['kind'] as const,
    buckets: STATEMENT_DURATIONS,
    registers: [this.registry],
  });
  readonly #failedStatements = new Counter({
    name: 'parley_sql_statement_failures_total',
    help: 'SQL statements that failed, including those that were retried.',
    labelNames: ['kind'] as const,
    registers: [this.registry],
  });
  readonly #requests = new Counter({
    name: 'parley_http_requests_total',
    help: 'HTTP requests that were answered or refused, by route and status.',
    labelNames: ['route', 'status'] as const,
    registers: [this.registry],
  });

  /** The name of an operation that did not run may be anything: it gets no series. */
  countOperation({ type, name, code, hasRun, durationMs }: OperationEntry): void {
    const known = name === null ? 'anonymous' : hasRun ? this.#names.keep(name) : this.#names.known(name);
    const labels = { type: type ?? 'unknown', name: type === null ? BoundedValues.other : known };
    this.#operations.inc({ ...labels, code: this.#codes.keep(code) });
    if (hasRun) this.#durations.observe(labels, durationMs / 1000);
  }

  countStatement({ kind, durationMs, hasFailed }: Omit<StatementRun, 'sql'>): void {
    this.#statements.observe({ kind }, durationMs / 1000);
    if (hasFailed) this.#failedStatements.inc({ kind });
  }

  countRequest(route: string, status: number): void {
    this.#requests.inc({ route, status });
  }

  /** Reads a part of the server at each scrape. */
  read({ connections, sockets, subscriptions, feeds, bus, fill, health, pools }: Readings): void {
    readGauge(this.registry, 'parley_connections', 'Open connections, WebSockets included.', connections);
    readGauge(this.registry, 'parley_websockets', 'Open WebSockets.', sockets);
    readGauge(this.registry, 'parley_subscriptions', 'Clients with a subscription.', () => subscriptions().clients);
    const groups = 'Executions shared by up-to-date subscribers: one for all with equal answers.';
    readGauge(this.registry, 'parley_subscription_groups', groups, () => subscriptions().groups);
    readGauge(this.registry, 'parley_followed_chats', 'Chats with a followed log.', () => feeds().chats);
    const unread = 'Published events that this server has not read yet, of the chat with the most.';
    readGauge(this.registry, 'parley_feed_lag_events', unread, () => feeds().unread);
    const slowest = 'Events that the slowest subscription has not received yet.';
    readGauge(this.registry, 'parley_reader_lag_events', slowest, () => feeds().behind);
    if (bus() !== 'none') {
      const connected = 'Whether the bus between the servers of a database is connected.';
      readGauge(this.registry, 'parley_bus_connected', connected, () => (bus() === 'up' ? 1 : 0));
    }
    const answers = 'Whether the database answers, even if it refuses changes.';
    readGauge(this.registry, 'parley_database_up', answers, async () => Number((await health()).database !== 'down'));
    readGauge(this.registry, 'parley_ready', 'Whether /health/ready answers 200.', async () =>
      Number((await health()).isReady),
    );
    const applied = 'Migrations of this version in the database; absent while it does not answer.';
    readGauge(this.registry, 'parley_migrations_applied', applied, async () => (await health()).migrations?.applied);
    const expected = 'Migrations of this version; absent while the database does not answer.';
    readGauge(this.registry, 'parley_migrations_expected', expected, async () => (await health()).migrations?.expected);
    const unfilled = 'Messages whose hash is computed later and is still missing, while it is computed; otherwise 0.';
    readGauge(this.registry, 'parley_fill_remaining_messages', unfilled, () => remaining(fill()));
    this.#poolGauge('size', 'Maximum number of database connections of a pool.', pools);
    this.#poolGauge('used', 'Database connections of a pool in use.', pools);
    this.#poolGauge('waiting', 'Statements and transactions that wait for a connection of a pool.', pools);
    readCounter(
      this.registry,
      'parley_events_delivered_total',
      'Answers sent to subscribers.',
      () => subscriptions().delivered,
    );
  }

  /** @param read returns undefined when there is no value now */
  #poolGauge(member: 'size' | 'used' | 'waiting', help: string, pools: Readings['pools']): void {
    new Gauge({
      name: `parley_database_pool_${member}`,
      help,
      labelNames: ['pool'] as const,
      registers: [this.registry],
      collect() {
        for (const pool of pools()) this.set({ pool: pool.name }, pool[member]);
      },
    });
  }
}

const remaining = (fill: { done: number; total: number } | null) => (fill === null ? 0 : fill.total - fill.done);
