/** The paths of the server. A `*` at the end stands for any text. No handler gets a request for another path. */
import { featurePaths, internalPaths } from '../features/all-features.js';

/** Proxies forward them to the server: test/deploy compares the shipped configurations. */
export const PUBLIC_ROUTES = ['/graphql', ...featurePaths];

/** Proxies must not forward them. */
export const INTERNAL_ROUTES = ['/health/live', '/health/ready', ...internalPaths];

export const OTHER_ROUTE = 'other';

const routes = new Set([...PUBLIC_ROUTES, ...INTERNAL_ROUTES]);
const prefixes = [...routes].filter((route) => route.endsWith('*'));

/** The route of the target of a request, for records: other paths than the known ones may contain anything. */
export function routeOf(url = ''): string {
  const [path = ''] = url.split('?');
  if (routes.has(path)) return path;
  return prefixes.find((prefix) => path.startsWith(prefix.slice(0, -1))) ?? OTHER_ROUTE;
}
