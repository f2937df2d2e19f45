/** What Prometheus is told of a server; docs/operations.md says what each of these means. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { BoundedValues } from './bounded-values.js';
import type { OperationEntry } from './operation-entry.js';
import { processMetrics } from './process-metrics.js';
import type { StatementRun } from './statement-run.js';

/** Names of operations with a series of their own; the others share one. */
const MAX_NAMES = 200;

/** Codes are the server's own, and far fewer: this is for the day when somebody makes one of what a client sends. */
const MAX_CODES = 100;

/** Seconds. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const STATEMENT_DURATIONS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30];

/** What is looked at when somebody asks. */
export interface Readings {
  connections(): number;
  sockets(): number;
  subscriptions(): { clients: number; groups: number; delivered: number };
  feeds(): { chats: number; unread: number; behind: number; withDrafts: number };
  /** 'none' when the server has no need of one. */
  bus(): 'up' | 'down' | 'none';
  /** Whether the database answers, and its migrations where it does. Settles within seconds. */
  health(): Promise<{
    isReady: boolean;
    database: 'up' | 'read-only' | 'down';
    migrations: { applied: number; expected: number } | null;
  }>;
  /** The database's pools of connections. */
  pools(): readonly { name: string; size: number; used: number; waiting: number }[];
}

/** `refused` for the client's mistakes, `aborted` when the client left, `failed` for everything else. */
const IMPORT_RESULTS = ['imported', 'refused', 'aborted', 'failed'] as const;
export type ImportResult = (typeof IMPORT_RESULTS)[number];

export class Metrics {
  readonly #registry = new Registry();
  readonly #names = new BoundedValues(MAX_NAMES);
  readonly #codes = new BoundedValues(MAX_CODES);

  readonly #operations = new Counter({
    name: 'parley_operations_total',
    help: 'GraphQL operations that have ended, by type, name and result code; subscriptions when they have begun.',
    labelNames: ['type', 'name', 'code'] as const,
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: 'parley_operation_duration_seconds',
    help: 'How long GraphQL operations took that were run.',
    labelNames: ['type', 'name'] as const,
    buckets: DURATIONS,
    registers: [this.#registry],
  });
  readonly #statements = new Histogram({
    name: 'parley_sql_statement_duration_seconds',
    help: 'How long SQL statements took: those of changes, and those that only read.',
    labelNames: ['kind'] as const,
    buckets: STATEMENT_DURATIONS,
    registers: [this.#registry],
  });
  readonly #failedStatements = new Counter({
    name: 'parley_sql_statement_failures_total',
    help: 'SQL statements that have failed, also those that were sent again.',
    labelNames: ['kind'] as const,
    registers: [this.#registry],
  });
  readonly #requests = new Counter({
    name: 'parley_http_requests_total',
    help: 'HTTP requests that were answered, or refused before they were one, by route and status.',
    labelNames: ['route', 'status'] as const,
    registers: [this.#registry],
  });

  readonly #imports = new Counter({
    name: 'parley_imports_total',
    help: 'Requests to POST /import that have ended, by result.',
    labelNames: ['result'] as const,
    registers: [this.#registry],
  });

  constructor() {
    // A series that starts at 0 shows its first increase.
    for (const result of IMPORT_RESULTS) this.#imports.inc({ result }, 0);
  }

  /** The content type of text(). */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All of it, in Prometheus's text format. */
  async text(): Promise<string> {
    return `${await this.#registry.metrics()}\n${await processMetrics()}`;
  }

  countOperation({ type, name, code, hasRun, durationMs }: OperationEntry): void {
    const labels = { type: type ?? 'unknown', name: this.#labelOf(type, name, hasRun) };
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

  countImport(result: ImportResult): void {
    this.#imports.inc({ result });
  }

  /** Looks at a part of the server whenever somebody asks. */
  read({ connections, sockets, subscriptions, feeds, bus, health, pools }: Readings): void {
    this.#gauge('parley_connections', 'Connections that are open, those of WebSockets included.', connections);
    this.#gauge('parley_websockets', 'WebSockets that are open.', sockets);
    this.#gauge('parley_subscriptions', 'Clients that follow something.', () => subscriptions().clients);
    const groups = 'Executions that serve the clients who are up to date: one for all whose answers are the same.';
    this.#gauge('parley_subscription_groups', groups, () => subscriptions().groups);
    this.#gauge('parley_followed_chats', 'Chats whose log is followed.', () => feeds().chats);
    const withDrafts = 'Chats whose messages are followed that are being written.';
    this.#gauge('parley_followed_draft_chats', withDrafts, () => feeds().withDrafts);
    const unread = 'Events that this server has heard of and has not read yet, of the chat that has most of them.';
    this.#gauge('parley_feed_lag_events', unread, () => feeds().unread);
    const behind = 'How many events the subscription that is furthest behind has yet to be told.';
    this.#gauge('parley_reader_lag_events', behind, () => feeds().behind);
    if (bus() !== 'none') {
      const connected = 'Whether the bus between the servers of a database is connected.';
      this.#gauge('parley_bus_connected', connected, () => (bus() === 'up' ? 1 : 0));
    }
    const answers = 'Whether the database answers, also when it takes no changes.';
    this.#gauge('parley_database_up', answers, async () => Number((await health()).database !== 'down'));
    this.#gauge('parley_ready', 'Whether /health/ready answers 200.', async () => Number((await health()).isReady));
    const applied = 'Migrations of this version that the database has; absent while it does not answer.';
    this.#gauge('parley_migrations_applied', applied, async () => (await health()).migrations?.applied);
    const expected = 'Migrations that this version has; absent while the database does not answer.';
    this.#gauge('parley_migrations_expected', expected, async () => (await health()).migrations?.expected);
    this.#poolGauge('size', 'Connections to the database that a pool may open.', pools);
    this.#poolGauge('used', 'Connections of a pool that statements and transactions use.', pools);
    this.#poolGauge('waiting', 'Statements and transactions that wait for a connection of a pool.', pools);
    new Counter({
      name: 'parley_events_delivered_total',
      help: 'Answers that were sent to clients that follow something.',
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(subscriptions().delivered);
      },
    });
  }

  /** A name that was not run may be anything: it gets no series of its own. */
  #labelOf(type: string | null, name: string | null, hasRun: boolean): string {
    if (type === null) return BoundedValues.other;
    if (name === null) return 'anonymous';
    return hasRun ? this.#names.keep(name) : this.#names.known(name);
  }

  /** @param read undefined where there is no value now */
  #gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  #poolGauge(member: 'size' | 'used' | 'waiting', help: string, pools: Readings['pools']): void {
    new Gauge({
      name: `parley_database_pool_${member}`,
      help,
      labelNames: ['pool'] as const,
      registers: [this.#registry],
      collect() {
        for (const pool of pools()) this.set({ pool: pool.name }, pool[member]);
      },
    });
  }
}
