/** The paths of the server. A `*` at the end stands for any text. No handler gets a request for another path. */

/** Proxies forward them and those of features to the server: test/deploy compares the shipped configurations. */
export const PUBLIC_ROUTES = ['/', '/s', '/assets/*', '/graphql'] as const;

/** Proxies must not forward them. */
export const INTERNAL_ROUTES = ['/health/live', '/health/ready', '/metrics'] as const;

export const OTHER_ROUTE = 'other';

/**
 * The route of a request for records: other paths than the known ones may contain anything.
 * @param paths of features
 * @returns a function of the target of a request
 */
export function createRouteOf(paths: readonly string[]): (url?: string) => string {
  const routes = new Set([...PUBLIC_ROUTES, ...paths, ...INTERNAL_ROUTES]);
  const prefixes = [...routes].filter((route) => route.endsWith('*'));
  return (url = '') => {
    const [path = ''] = url.split('?');
    if (routes.has(path)) return path;
    return prefixes.find((prefix) => path.startsWith(prefix.slice(0, -1))) ?? OTHER_ROUTE;
  };
}
