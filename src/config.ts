/** The settings of a process, from the environment: the only reader of process.env. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { limitSettings, type Limits } from './limits/limits.js';
import { rules, type RuleOptions } from './features/all-setting-rules.js';
import { isLoopback, NOT_LOOPBACK } from './http/server/loopback.js';
import { settings } from './server-settings.js';
import { setting } from './settings/declare-setting.js';
import { readEnvironment, type Fault, type Reader } from './settings/read-environment.js';
import type { DeclaredSettings, ValuesOf } from './settings/setting.js';

/** From the finest to the coarsest; the last one logs nothing. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Settings that are not options of createServer. */
const processSettings = {
  logLevel: setting('LOG_LEVEL', z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`), {
    byDefault: 'info',
  }).means('`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'),
};

const ruleSettings = rules.map(({ declared = {} }) => declared);

const declared: readonly DeclaredSettings[] = [settings, processSettings, ...ruleSettings, limitSettings];

export const SERVER_SETTINGS = declared.flatMap((each) => Object.values(each));

/** Variables whose value can be the content of a file. */
export const SECRETS = SERVER_SETTINGS.filter(({ isSecret }) => isSecret).map(({ variable }) => variable);

export interface Config extends ValuesOf<typeof settings & typeof processSettings>, RuleOptions {
  limits: Limits;
}

/**
 * Reads and checks the settings of a server.
 * @throws Error that lists all mistakes, one per line
 */
export function readServerConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  return configOf(environment, (read) => [...faultsOf(read), ...serverFaultsOf(read)]);
}

/** The settings of a command, which does not listen: HOST may be set for a server. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  return configOf(environment, faultsOf);
}

function configOf(environment: NodeJS.ProcessEnv, faultsOf: (read: Reader) => Fault[]): Config {
  const read = readEnvironment({ declared, secrets: SECRETS }, faultsOf, environment);
  const options = ruleOptions(read);
  return {
    ...read(settings),
    ...read(processSettings),
    ...options,
    limits: read(limitSettings, options.auth === undefined),
  };
}

function ruleOptions(read: Reader): RuleOptions {
  return Object.assign({}, ...rules.map((each) => each.optionsOf?.(read, read(settings)))) as RuleOptions;
}

/** Mistakes in dependencies between settings. */
function faultsOf(read: Reader): Fault[] {
  return rules.flatMap((each) => each.faultsOf?.(read, read(settings)) ?? []);
}

/** Further mistakes of a process that listens; host names are resolved later. */
function serverFaultsOf(read: Reader): Fault[] {
  const { host } = read(settings);
  const faults = rules.flatMap((each) => each.serverFaultsOf?.(read, read(settings)) ?? []);
  if (ruleOptions(read).auth === undefined && isIP(host) !== 0 && !isLoopback(host)) {
    faults.push({ variable: 'HOST', message: NOT_LOOPBACK });
  }
  return faults;
}
