import type { ServerUrl } from '../connection/database-url.js';

export const CONNECT_TIMEOUT_MS = 4_000;

/** The settings that Parley controls, under all names that the adapter accepts. */
const NAMES = {
  connectionLimit: ['connectionLimit'],
  connectionTimeout: ['connectionTimeout', 'connectTimeout', 'loginTimeout'],
  socketTimeout: ['socketTimeout'],
  applicationName: ['applicationName', 'application name'],
} as const;

type Settings = Partial<Record<keyof typeof NAMES, string | number>>;

const DEFAULTS: Settings = {
  connectionTimeout: CONNECT_TIMEOUT_MS,
  // Long results take time; unresponsive servers are detected by availability.ts.
  socketTimeout: 600_000,
  applicationName: 'parley',
};

/** The connection string with Parley's settings. The adapter accepts each name once. */
export function sqlServerSettings({ url }: ServerUrl, fixed: Settings): string {
  const [server = '', ...given] = url.split(/;(?![^{]*\})/).filter((part) => part.trim() !== '');
  const isGiven = (setting: string, part: string) =>
    NAMES[setting as keyof Settings].some((name) => name === part.split('=')[0]?.trim());
  const kept = given.filter((part) => !Object.keys(fixed).some((setting) => isGiven(setting, part)));
  const missing = Object.entries({ ...DEFAULTS, ...fixed }).filter(
    ([setting]) => !kept.some((part) => isGiven(setting, part)),
  );
  return [server, ...kept, ...missing.map(([setting, value]) => `${setting}=${value}`)].join(';');
}
