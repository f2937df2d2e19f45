/** Reads declared settings from environment variables. */
import { z } from 'zod';
import { defaultsOf, type DeclaredSettings, type ValuesOf } from './setting.js';
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../system/message-of.js';

/** A mistake in the combination of settings. */
export interface Fault {
  variable: string;
  message: string;
}

/** The values of declared settings; those without a variable have their defaults. */
export type Reader = <Declared extends DeclaredSettings>(
  settings: Declared,
  isDevelopment?: boolean,
) => ValuesOf<Declared>;

/** Rules for several settings of a feature together. */
export interface SettingRules {
  /** Settings that are no options themselves. */
  readonly declared?: DeclaredSettings;
  /** Mistakes in their combination. @param core settings of the core */
  faultsOf?(read: Reader, core: CoreValues): Fault[];
  /** Further mistakes in those of a server. */
  serverFaultsOf?(read: Reader, core: CoreValues): Fault[];
  optionsOf?(read: Reader, core: CoreValues): object;
}

/** Settings of the core that rules of features use. */
export interface CoreValues {
  readonly databaseUrl: string;
  readonly traceEndpoint: string | undefined;
  readonly redisUrl: string | undefined;
}

/**
 * @param declared all settings
 * @param secrets variables that can be the content of a file
 * @param faultsOf checks the combination of settings
 * @throws Error that lists all mistakes, one per line, without values
 */
export function readEnvironment(
  { declared, secrets }: { declared: readonly DeclaredSettings[]; secrets: readonly string[] },
  faultsOf: (read: Reader) => Fault[],
  environment: NodeJS.ProcessEnv,
): Reader {
  const { values, mistakes } = withSecretFiles(environment, secrets);
  const shape = declared
    .flatMap((settings) => Object.values(settings))
    .map(({ variable, schema }) => [variable, (schema as z.ZodType).optional()]);
  const schema = z.object(Object.fromEntries(shape) as z.ZodRawShape).superRefine((data, context) => {
    for (const { variable, message } of faultsOf(readerOf(data))) {
      context.addIssue({ code: 'custom', path: [variable], message });
    }
  });
  const { data, error } = schema.safeParse(values);
  mistakes.push(...(error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`));
  if (mistakes.length > 0) {
    throw new Error(`These settings are wrong:\n${mistakes.map((each) => `  ${each}`).join('\n')}`);
  }
  return readerOf(data ?? {});
}

const readerOf =
  (data: Record<string, unknown>): Reader =>
  (settings, isDevelopment) => {
    const given = Object.entries(settings)
      .map(([name, { variable }]) => [name, data[variable]])
      .filter(([, value]) => value !== undefined);
    return {
      ...defaultsOf(settings, isDevelopment),
      ...(Object.fromEntries(given) as Partial<ValuesOf<typeof settings>>),
    };
  };

const MAX_BYTES = 64 * 1024;

/**
 * Replaces each file by its content, without line breaks at its end. An empty variable counts as unset, as shells and
 * compose files write it.
 * @param secrets variables that can be the content of a file, which the variable of the same name with _FILE names
 * @returns the set variables, and the mistakes, one per line
 */
function withSecretFiles(
  environment: NodeJS.ProcessEnv,
  secrets: readonly string[],
): {
  values: Record<string, string>;
  mistakes: string[];
} {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value) values[name] = value;
  const mistakes: string[] = [];
  for (const name of secrets) {
    const path = values[`${name}_FILE`];
    if (path === undefined) continue;
    if (values[name] !== undefined) mistakes.push(`${name}_FILE cannot be given together with ${name}`);
    try {
      values[name] = secretIn(path);
    } catch (error) {
      mistakes.push(`${name}_FILE cannot be read: ${messageOf(error)}`);
    }
  }
  return { values, mistakes };
}

function secretIn(path: string): string {
  const file = openSync(path, 'r');
  try {
    const content = Buffer.alloc(MAX_BYTES + 1);
    // One read: a secret is smaller, and a pipe or a device must not make the start wait for more.
    const secret = content.toString('utf8', 0, readSync(file, content)).replace(/[\r\n]+$/, '');
    if (secret === '') throw new Error('the file is empty');
    if (secret.length > MAX_BYTES) throw new Error(`the file has more than ${MAX_BYTES} bytes`);
    return secret;
  } finally {
    closeSync(file);
  }
}
