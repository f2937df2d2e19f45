/** The paths of the server. A `*` at the end stands for any text. No handler gets a request for another path. */

/** Proxies forward them to the server: test/deploy compares the shipped configurations. */
export const PUBLIC_ROUTES = [
  '/',
  '/s',
  '/assets/*',
  '/graphql',
  '/export',
  '/import',
  '/files',
  '/files/*',
  '/users',
  '/mcp',
] as const;

/** Proxies must not forward them. */
export const INTERNAL_ROUTES = ['/health/live', '/health/ready', '/metrics'] as const;

const ROUTES = [...PUBLIC_ROUTES, ...INTERNAL_ROUTES];

/** Other paths are not recorded, because they may contain anything. */
export type Route = (typeof ROUTES)[number] | 'other';

/** @param url the target of a request */
export function routeOf(url = ''): Route {
  const [path = ''] = url.split('?');
  const isAt = (route: string) => (route.endsWith('*') ? path.startsWith(route.slice(0, -1)) : path === route);
  return ROUTES.find(isAt) ?? 'other';
}
