/** The interface of features, which are parts of Parley that the core does not know: see docs/architecture.md. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BranchData, ContextError, ContextStore, MessageData } from '@parley/context';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Registry } from 'prom-client';
import type { Authenticator, Credentials, Session } from './auth/session.js';
import type { Auditor, AuditRecord } from './audit.js';
import type { Branch, Message, Viewer } from './conversation/model.js';
import type { ConversationReads } from './conversation/reads.js';
import type { ConversationStore } from './conversation/store.js';
import type { TableCheck } from './database/table-check.js';
import type { Connection, ConnectionOptions, Provider } from './database/connection/connection.js';
import type { DatabaseHooks } from './database/opening/open.js';
import type { SweepOptions } from './database/removals.js';
import type { Bus, BusListener } from './events/bus.js';
import type { Files } from './files/files.js';
import type { Limits } from './limits/limits.js';
import type { Spool } from './limits/spool.js';
import type { Caller } from './scheduler/fair-queue.js';
import type { OpenRoute, Route, RouteCall } from './route.js';

/** @typeParam Options of `createServer` that belong to the feature, with their defaults: see its settings.ts */
export interface Feature<Options extends object = object> {
  /** Paths of its routes, which proxies forward to the server. */
  readonly paths?: readonly string[];
  /** Those that proxies must not forward. */
  readonly internalPaths?: readonly string[];
  /**
   * Checks the options, and completes them, before the database is opened.
   * @throws Error that names the wrong option
   */
  check?(options: Options & CheckedOptions, schema: GraphQLSchema): Partial<Options>;
  /** Called with each opened database: by servers, their other processes and commands. */
  open?(connection: Provider, options: Options): OpenFeature;
  /** The invariants of the rows of its tables. */
  readonly checks?: readonly TableCheck[];
  /** Copies what it stores besides chats into another database. */
  copy?(source: Connection, target: Connection): Promise<void>;
  /** Changes the schema of the core and of all features. */
  wrapSchema?(schema: GraphQLSchema): GraphQLSchema;
  /**
   * Opens the recorder of accesses for a server or a command, before the database. At most one feature has it.
   * @returns null when it is off
   * @throws Error when it cannot write
   */
  openAuditor?(options: Options, host: AuditHost): Promise<Auditor | null>;
  /** Connects the bus between the servers of a database. At most one feature has it. @throws Error when it cannot be used */
  connectBus?(options: CheckedOptions, listener: BusListener): Promise<Bus>;
  /** The options for other processes of the server, which need no secrets. As JSON. */
  forProcesses?(options: Options): Partial<Options>;
}

/** Options of the core that features compare with theirs. */
export interface CheckedOptions {
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  /** Undefined in development mode. */
  readonly auth?: object | undefined;
  readonly log: (line: string) => void;
}

export interface AuditHost extends Pick<Host, 'log'> {
  readonly serviceName: string;
  /** Only in a server. */
  readonly registry?: Registry;
}

export interface OpenFeature extends DatabaseHooks {
  /** Methods that it adds to a store of the library for agents on this database. */
  contextStore?(base: StoreBase): Partial<ContextStore>;
  /** Called once by a server. */
  serve?(host: Host): ServingFeature | Promise<ServingFeature>;
}

export interface ServingFeature {
  /** Members of the context of resolvers; the feature adds their types to FeatureContext. */
  readonly context?: object;
  /** Returns an authenticator that also accepts other credentials. */
  authenticator?(base: Authenticator): Authenticator;
  /** Called when another server has published an id: see Host. It may be that of another feature. */
  onNotice?(id: string): void;
  /** Reads what notifications of other servers may have missed, after each connect to the bus. */
  sweep?(): Promise<void>;
  /** Removes chats that are due, at intervals, in the order of the features. */
  removeChats?(options: SweepOptions & { signal: AbortSignal }): Promise<void>;
  /** Called after each committed change of the database by this server. It must not throw. */
  onChange?(): void;
  /** Returns the text of a document that is requested by its id, over all transports. At most one feature has it. */
  documentOf?: DocumentOf;
  /** Whether the text of a document needs neither a sign-in nor trust. */
  isPublic?: IsPublic;
  /** Plugins of requests at /graphql before they are admitted. */
  firstPlugins?(services: Pick<RouteServices, 'admit' | 'areUsersKnown'>): readonly Plugin[];
  readonly plugins?: readonly Plugin[];
  /** Why it cannot serve all requests, as /health/ready warns; null while it can. */
  problem?(): string | null;
  /** Logs an error that it reports in its own way. @returns false for other errors */
  report?(error: unknown): boolean;
  /** Deletes what this server alone has of a user, after any server has erased the user. */
  erased?(userId: string): Promise<void>;
  /** Members of the body of /health/ready. They do not affect readiness. */
  readiness?(): object;
  routes?(services: RouteServices): Readonly<Record<string, Route | OpenRoute>>;
  /** Called when the server begins to listen, on further ports. @throws Error when it cannot use a port */
  listen?(address: string): Promise<void>;
  /** Called before the database is closed. */
  close?(): Promise<void>;
}

/** A store of the library for agents, on behalf of a user. */
export interface StoreBase {
  readonly store: ConversationStore;
  readonly reads: ConversationReads;
  readonly files: Files;
  readonly viewer: Viewer;
  /** Runs a call, and throws its expected failures as a ContextError. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** @throws ContextError for a chat that the user may not read */
  requireChat(id: string): Promise<void>;
  /** @returns false when the work throws a NotFoundError */
  isFound(work: () => Promise<unknown>): Promise<boolean>;
  toError(error: unknown): ContextError;
  toMessage(message: Message): MessageData;
  toBranch(branch: Branch): BranchData;
}

export interface Host {
  readonly store: ConversationStore;
  readonly databaseUrl: string;
  /** The options of its connections to the database. */
  readonly connections: ConnectionOptions;
  /** Whether the database was empty before. */
  readonly isNew: boolean;
  /** Milliseconds between checks for changes of other servers. */
  readonly sweepIntervalMs: number;
  readonly limits: Limits;
  /** Counts the bytes of uploads on disk. */
  readonly spool: Spool;
  /** Registers metrics. */
  readonly registry: Registry;
  /** Null when accesses are not recorded. */
  readonly auditor: Auditor | null;
  /** Notifies the other servers of an id: see ServingFeature. */
  publish(id: string): void;
  /** Whether a feature makes a document public: see ServingFeature. */
  readonly isPublic: IsPublic;
  log(line: string): void;
  /** Receives errors of periodic work, which runs again later. */
  onError(error: unknown): void;
}

export type IsPublic = (document: string) => boolean;

export interface DocumentRequest {
  /** An empty text, which some protocols require, counts as absent. */
  readonly query: string;
  readonly documentId?: unknown;
}

/** @throws GraphQLError for an unknown document */
export type DocumentOf = (request: DocumentRequest) => string;

/** Admits a request by its credentials, which counts as an operation. @throws GraphQLError */
export type Admit = (credentials: Credentials, request: IncomingMessage | undefined) => Promise<Session>;

/** The server for the routes of features. */
export interface RouteServices {
  /** Runs a document as an operation of the session, with the limits of operations. */
  run(call: RouteCall, document: DocumentNode, variables: Record<string, unknown>): Promise<ExecutionResult>;
  readonly admit: Admit;
  /** Begins the record of the accesses of a request; null when accesses are not recorded. */
  beginAudit(session: Session, request: IncomingMessage): AuditRecord | null;
  /** Whether pages of the request's origin may send requests. */
  mayConnect(headers: IncomingHttpHeaders): boolean;
  /** The database for reads that need all changes that are visible now; undefined for that of the feature. */
  currentReads(caller?: Caller): Promise<Connection> | undefined;
  readonly files: Files;
  /** Whether users are authenticated, and have fair shares. */
  readonly areUsersKnown: boolean;
  /** Null for a database in memory, which other processes cannot open. */
  readonly processSettings: ProcessSettings | null;
  /** Publishes a change that another process of this server has committed. */
  onChange(change: CommittedChange): void;
  /** Deletes what each server alone has of an erased user. */
  onErased(userId: string): Promise<void>;
  onError(error: unknown): void;
}

/** The settings with which another process of the server opens the database. As JSON. */
export interface ProcessSettings {
  readonly url: string;
  readonly statementTimeouts: { readMs: number; writeMs: number };
  /** The options of features, without secrets. */
  readonly features: object;
}

export interface CommittedChange {
  readonly chatId: string;
  readonly version: number;
}
