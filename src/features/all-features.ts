/** All features: a line each. Only the server and the command line import them. */
import type { GraphQLSchema } from 'graphql';
import type { Auditor } from '../audit.js';
import type { Authenticator } from '../auth/session.js';
import type { AuditHost, CheckedOptions, Feature, OpenFeature } from '../feature.js';
import { memoryBus, type Bus, type BusListener } from '../events/bus.js';
import type { Connection, Provider } from '../database/connection/connection.js';
import type { TableCheck } from '../database/table-check.js';
import { defaultsOf, type DeclaredSettings, type Joined, type OptionsOf, type ValuesOf } from '../settings/setting.js';
import type { RuleOptions } from './all-setting-rules.js';
import './all-forms.js';
import * as settings from './all-settings.js';
import { accessTokens } from './access-tokens/feature.js';
import { audit } from './audit/feature.js';
import { buses } from './buses/feature.js';
import { contexts } from './contexts/feature.js';
import { deletion } from './deletion/feature.js';
import { distribution } from './distribution/feature.js';
import { demo } from './demo/feature.js';
import { drafts } from './drafts/feature.js';
import { exporting } from './exports/feature.js';
import { files } from './files/feature.js';
import { fileService } from './files/open-files.js';
import { forks } from './forks/feature.js';
import { importing } from './imports/feature.js';
import { maintenance } from './maintenance/feature.js';
import { mcp } from './mcp/feature.js';
import { members } from './members/feature.js';
import { pages } from './pages/feature.js';
import { quotas } from './quotas/feature.js';
import { replicas } from './replicas/feature.js';
import { retention } from './retention/feature.js';
import { sessions } from './sessions/feature.js';
import { shares } from './shares/feature.js';
import { telemetry } from './telemetry/feature.js';
import { trustedDocuments } from './trusted-documents/feature.js';
import { usage } from './usage/feature.js';
import { users } from './users/feature.js';
import { webhooks } from './webhooks/feature.js';

type FeatureSettings = Joined<(typeof settings)[keyof typeof settings]>;
/** The options of all features. */
export type FeatureOptions = OptionsOf<FeatureSettings> & RuleOptions;
type Values = ValuesOf<FeatureSettings> & RuleOptions;

const all: readonly Feature<Values>[] = [
  accessTokens,
  audit,
  buses,
  contexts,
  deletion,
  demo,
  distribution,
  drafts,
  exporting,
  files,
  forks,
  importing,
  maintenance,
  mcp,
  members,
  pages,
  retention,
  replicas,
  quotas,
  sessions,
  shares,
  telemetry,
  trustedDocuments,
  usage,
  users,
  webhooks,
];

const defaults = Object.assign(
  {},
  ...Object.values<DeclaredSettings>(settings).map((each) => defaultsOf(each)),
) as Values;

export { MigratingServer } from './migrations/migrating-server.js';
export { createLogger, type Logger } from './telemetry/logger.js';
export { createTelemetry } from './telemetry/request-observer.js';
export { fileService };

/** Checks the tokens of clients. Development mode starts without the modules for it. */
export async function loadAuthenticator(auth: NonNullable<RuleOptions['auth']>): Promise<Authenticator> {
  return (await import('./signed-tokens/tokens.js')).createTokenAuthenticator(auth);
}

/** The paths of their routes. */
export const featurePaths = all.flatMap(({ paths = [] }) => paths);
export const internalPaths = all.flatMap(({ internalPaths = [] }) => internalPaths);

/** The checks of all tables. */
export const ALL_CHECKS: readonly TableCheck[] = all.flatMap(({ checks = [] }) => checks);

/** Copies what features store besides chats. */
export async function copyFeatures(source: Connection, target: Connection): Promise<void> {
  for (const each of all) await each.copy?.(source, target);
}

/**
 * Checks and completes the options of all features.
 * @throws Error that names the wrong option
 */
export function checkFeatures(options: Values & CheckedOptions, schema: GraphQLSchema): Partial<Values> {
  return Object.assign({}, ...all.map((each) => each.check?.(options, schema))) as Partial<Values>;
}

/** The schema with what features do with all of its fields. */
export function wrapSchema(schema: GraphQLSchema): GraphQLSchema {
  return all.reduce((wrapped, each) => each.wrapSchema?.(wrapped) ?? wrapped, schema);
}

/**
 * Opens the recorder of accesses.
 * @returns null when it is off
 * @throws Error when it cannot write
 */
export async function openAuditor(options: FeatureOptions, host: AuditHost): Promise<Auditor | null> {
  for (const each of all) {
    const auditor = await each.openAuditor?.({ ...defaults, ...options } as Values, host);
    if (auditor != null) return auditor;
  }
  return null;
}

/** Connects the bus between the servers of a database. @throws Error when it cannot be used */
export async function connectBus(options: CheckedOptions, listener: BusListener): Promise<Bus> {
  return all.find((each) => each.connectBus !== undefined)?.connectBus?.(options, listener) ?? memoryBus;
}

/** The parts of all features in a database. */
export function openFeatures(options: FeatureOptions): (connection: Provider) => OpenFeature[] {
  const complete = { ...defaults, ...options } as Values;
  return (connection) => all.map((each) => each.open?.(connection, complete) ?? {});
}

/** The options that other processes of the server need, as JSON. */
export function featuresForProcesses(options: Values): FeatureOptions {
  return Object.assign({}, ...all.map((each) => each.forProcesses?.(options))) as FeatureOptions;
}
