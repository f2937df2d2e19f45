/** The paths of the server. A `*` at the end stands for any text. No handler gets a request for another path. */

/** Proxies forward them and those of features to the server: test/deploy compares the shipped configurations. */
export const PUBLIC_ROUTES = ['/', '/s', '/assets/*', '/graphql', '/import', '/files', '/files/*', '/users'] as const;

/** Proxies must not forward them. */
export const INTERNAL_ROUTES = ['/health/live', '/health/ready', '/metrics'] as const;

export const OTHER_ROUTE = 'other';

/**
 * The route of a request for records: other paths than the known ones may contain anything.
 * @param paths of features
 * @returns a function of the target of a request
 */
export function createRouteOf(paths: readonly string[]): (url?: string) => string {
  const routes = [...PUBLIC_ROUTES, ...paths, ...INTERNAL_ROUTES];
  return (url = '') => {
    const [path = ''] = url.split('?');
    const isAt = (route: string) => (route.endsWith('*') ? path.startsWith(route.slice(0, -1)) : path === route);
    return routes.find(isAt) ?? OTHER_ROUTE;
  };
}
