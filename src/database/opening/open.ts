/** Opens and migrates a database: the store of the rules, and the reads of clients. */
import { throttledLog } from '../../limits/throttled-log.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { PartChange } from '../../conversation/change.js';
import type { ListReads, LogReads } from '../../conversation/log-reads.js';
import type { ConversationReads } from '../../conversation/reads.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { Connection, ConnectionOptions, Pool, Provider } from '../connection/connection.js';
import { checkSound } from '../drivers/sqlite-files.js';
import { IN_MEMORY, parseDatabaseUrl } from '../connection/database-url.js';
import { driverMessage } from '../dialects/driver-error.js';
import { createListReads, createLogReads } from '../reading/log-reads.js';
import { DatabaseStore, type DatabaseStoreOptions } from '../store/database-store.js';
import { createReadsOf } from '../reading/reads.js';
import { withHooks, type ChangeHooks } from '../change-hooks.js';
import { removals } from '../removals.js';
import { reopening, type ReopeningOptions } from './reopening.js';
import type { MigrationOptions } from '../writing/progress.js';
import { fillDigests, type FillOptions } from '../writing/fill-digests.js';
import { indexTitles } from '../writing/index-titles.js';
import { checkDatabase, databaseWarnings, indexSearch } from './check-database.js';
import { checkPlace } from '../connection/file-place.js';
import { migrator } from './migrator.js';
import { openConnection } from './providers.js';
import { inSteps } from '../connection/pipeline.js';
import { UpgradeGuard } from './upgrade-guard.js';
import { withinBounds } from '../connection/within-bounds.js';

export interface OpenOptions extends ConnectionOptions, MigrationOptions {
  /** `file:` and a path relative to the working directory, `:memory:`, `postgresql://` or `sqlserver://`. */
  url: string;
  /**
   * Whether to migrate a database server's database. SQLite is always migrated.
   * @default false
   */
  migrate?: boolean;
  /**
   * Whether the role must have all privileges of a server.
   * @default false
   */
  isServing?: boolean;
  /**
   * Whether a server of this version has it open, so that migrations and search index need no check.
   * @default false
   */
  isChecked?: boolean;
  onChange?: DatabaseStoreOptions['onChange'];
  /** Called after the commit of a part of a chat, after the features. It must not throw. */
  onPart?: (change: PartChange) => void;
  /** The parts of features in this database. Without them, no deleted chat is removed after its time. */
  hooksOf?: (connection: Provider) => readonly DatabaseHooks[];
  /** Called when a SQLite file was lost: the next file may have different content. */
  onLost?: ReopeningOptions['onLost'];
  /** Receives log lines when a SQLite file is lost or reopened, and about conditions that delay operations. */
  log?: ReopeningOptions['log'];
}

/** The part of a feature in an open database. At most one has `queryReads` and `currentReads`. */
export interface DatabaseHooks extends ChangeHooks {
  /** Returns the reads of a query within its limits, which may run elsewhere; undefined for those of the connection. */
  queryReads?(connection: Connection, bounds: OperationBounds): ConversationReads | undefined;
  /**
   * Called after the commit of a part of a chat. It must not throw.
   * @param added what the feature added; undefined for a change of another process
   */
  onPart?(change: PartChange, added?: unknown): void;
  lost?(error: Error): void;
  /** Returns the database for reads that need all changes that are visible now; undefined for the connection. */
  currentReads?(connection: Connection, caller?: Caller): Promise<Connection> | undefined;
  pools?(): readonly Pool[];
  close?(): Promise<void> | undefined;
}

export interface OpenDatabase {
  /** The caller closes it: store.close() releases everything. */
  store: ConversationStore;
  reads: ConversationReads;
  log: LogReads;
  list: ListReads;
  /** The connection of the store, with the hooks of features. */
  connection: Provider;
  currentReads(caller?: Caller): Promise<Connection> | undefined;
  /** Computes all missing digests of messages: see fillDigests. */
  fillDigests(options: Omit<FillOptions, 'ofChat'>): Promise<void>;
  indexTitles(signal: AbortSignal): Promise<void>;
  isNew: boolean;
  within(bounds: OperationBounds): Pick<OpenDatabase, 'store' | 'reads'>;
  /**
   * Health check.
   * @returns whether it is writable, as far as known
   * @throws DatabaseUnavailableError when it does not respond
   */
  ping(): Promise<{ takesChanges: boolean }>;
  /**
   * The number of migrations of this version, and of those applied; a newer Parley may have applied more.
   * @throws DatabaseUnavailableError
   */
  migrations(): Promise<{ applied: number; expected: number }>;
  pools(): readonly Pool[];
  /**
   * Reasons that this version cannot use the database now, or only slowly.
   * @throws DatabaseUnavailableError
   */
  obstacles(): Promise<Obstacles>;
}

export interface Obstacles {
  /** Whether a newer version's migration forbids this one to write. */
  isNewer: boolean;
  /** Statements that grant the server's role its missing privileges. */
  missingGrants: string[];
  /** Settings of the database that delay operations. */
  warnings: string[];
}

/**
 * Opens a database.
 * @throws Error of one line with the reason and the database, without its password
 */
export async function openDatabase({ onProgress, signal, ...options }: OpenOptions): Promise<OpenDatabase> {
  const { url, onChange, onPart, hooksOf, log } = options;
  const parsed = parseDatabaseUrl(url);
  const { connection: first, isNew } = await connect(url, { ...options, onProgress, signal });
  const lose = (error: Error) => {
    options.onLost?.(error);
    for (const each of hooks) each.lost?.(error);
  };
  const reopened = reopening(first, { open: () => reconnect(url, options), onLost: lose, log });
  const probing = { ...reopened, read: reopened.probe };
  const upgradeGuard = new UpgradeGuard(reopened.sql, async () => (await migrator()).breaking(parsed, probing));
  const plain: Provider = {
    ...reopened,
    scope: { ...reopened.scope, ...(log && { warn: throttledLog(log) }) },
    ...inSteps({ upgrade: upgradeGuard.step }, reopened.transact),
    close: async () => void (await Promise.all([...hooks.map((each) => each.close?.()), reopened.close()])),
  };
  const hooks: DatabaseHooks[] = [];
  const connection = hooksOf === undefined ? plain : withHooks(plain, hooks);
  // Writes of a feature call the hooks of all.
  hooks.push(...(hooksOf?.(connection) ?? []));
  const { queryReads, currentReads } = hooks.find((each) => each.queryReads !== undefined) ?? {};
  if (log !== undefined) (await databaseWarnings(probing)).forEach((warning) => log(warning));
  const readsOf = createReadsOf(connection);
  const notePart = (change: PartChange, added?: unknown) => {
    for (const each of hooks) each.onPart?.(change, added);
    onPart?.(change);
  };
  const store = new DatabaseStore(connection, { onChange, onPart: notePart });
  return {
    store,
    connection,
    reads: readsOf(connection),
    log: createLogReads(connection),
    list: createListReads(connection),
    currentReads: (caller) => currentReads?.(connection, caller),
    fillDigests: (of) => fillDigests(connection, of),
    indexTitles: (signal) => indexTitles(connection, signal),
    isNew,
    within: (bounds) => {
      let [store, reads]: [ConversationStore?, ConversationReads?] = [];
      // Created on first use: most operations need one of them.
      return {
        get store() {
          return (store ??= new DatabaseStore(withinBounds(connection, bounds), {
            onChange,
            onPart: notePart,
            unbounded: connection,
            deadline: bounds.deadline,
          }));
        },
        get reads() {
          if (bounds.isQuery === true) reads ??= queryReads?.(connection, bounds);
          return (reads ??= readsOf(withinBounds(connection, bounds)));
        },
      };
    },
    ping: async () => {
      await probing.read((db) => db.rows(connection.sql.probe()));
      return { takesChanges: await connection.takesChanges() };
    },
    migrations: async () => (await migrator()).count(parsed, probing),
    pools: () => [...connection.pools(), ...hooks.flatMap((each) => each.pools?.() ?? [])],
    obstacles: async () => {
      const grants = await (await migrator()).missingGrants(parsed, probing);
      // A role without privileges cannot read the migrations.
      const isNewer = grants.length === 0 && (await upgradeGuard.isUpgradeRequired());
      return { missingGrants: grants, isNewer, warnings: await databaseWarnings(probing) };
    },
  };
}

export interface Connected {
  connection: Provider;
  isNew: boolean;
  applied: string[];
}

interface ConnectOptions
  extends ConnectionOptions, MigrationOptions, Pick<OpenOptions, 'migrate' | 'isServing' | 'isChecked'> {
  /**
   * Whether to finish interrupted removals.
   * @default true
   */
  finish?: boolean;
  /** Whether this process reopens the database. */
  isReopened?: boolean;
}

export async function connect(url: string, options: ConnectOptions): Promise<Connected> {
  const parsed = parseDatabaseUrl(url);
  let connection: Provider | undefined;
  try {
    if (parsed.provider === 'sqlite' && parsed.path !== IN_MEMORY) checkPlace(parsed.path);
    if (options.isChecked) return { connection: await openConnection(parsed, options), applied: [], isNew: false };
    const isOurs = !options.isReadOnly && (options.migrate || parsed.provider === 'sqlite');
    const unchanged = { applied: [], isNew: false };
    const { applied, isNew } = isOurs ? await (await migrator()).migrate(parsed, options) : unchanged;
    connection = await openConnection(parsed, options);
    if (options.isServing) await (await migrator()).checkRights(parsed, connection);
    if (!isOurs) await checkDatabase(parsed, connection);
    if (parsed.provider === 'postgresql') {
      await (await import('../drivers/postgresql.js')).checkSearchPath(parsed, connection);
    }
    if (isOurs) await indexSearch(parsed, connection, options);
    if (!options.isReadOnly && options.finish !== false) await (await removals()).finishRemovals(connection);
    return { connection, applied, isNew };
  } catch (error) {
    await connection?.close();
    // Commands have options for other databases.
    const shown = options.isServing ? `${parsed.shown} (DATABASE_URL)` : parsed.shown;
    throw new Error(`Cannot use the database ${shown}: ${driverMessage(error)}`, { cause: error });
  }
}

/** Reopens a lost SQLite file, if it exists and is intact. */
async function reconnect(url: string, options: Parameters<typeof connect>[1]): Promise<Provider> {
  const parsed = parseDatabaseUrl(url);
  if (parsed.provider === 'sqlite') await checkSound(parsed.path);
  return (await connect(url, { ...options, isReopened: true })).connection;
}
