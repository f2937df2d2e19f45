/** The pages of the server: the explorer, its page of shares, and GraphiQL. */
import type { Feature } from '../../feature.js';
import { createExplorer } from './explorer.js';
import { useGraphiQL } from './graphiql.js';

const PATHS = ['/', '/s', '/assets/*'];

export const pages: Feature = {
  paths: PATHS,
  open: () => ({
    serve: () => ({
      firstPlugins: (services) => [useGraphiQL(services)],
      routes: () => {
        const open = createExplorer();
        return Object.fromEntries(PATHS.map((path) => [path, { open }]));
      },
    }),
  }),
};
