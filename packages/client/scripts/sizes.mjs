/** `npm run size -w packages/client`: how much a page loads of each entry, minified and gzipped, without its peers. */
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src');

/** The entries for pages, each with the core, and their largest sizes in bytes. */
export const entries = {
  core: { from: { './client.ts': '*' }, limit: 15_000 },
  'core with react': { from: { './client.ts': '*', './react/react.ts': '*' }, limit: 20_000 },
  'core with useParleyChat': { from: { './client.ts': '*', './ai/use-parley-chat.ts': '*' }, limit: 25_000 },
  tree: { from: { './tree/tree.ts': '*' } },
  writer: { from: { './writes/draft-writer.ts': '*' } },
  'requests alone': {
    from: { './client.ts': '{ createParley }', './generated/operations.ts': '{ OpenThread }' },
  },
  zustand: { from: { './zustand/with-threads.ts': '*' } },
  chats: { from: { './chats/editable-chat-list.ts': '*' } },
  'initial-state': { from: { './store/initial-state.ts': '*' } },
  outbox: { from: { './outbox/outbox.ts': '*' } },
  ai: { from: { './ai/chat-transport.ts': '*' } },
  'assistant-ui': { from: { './assistant-ui/use-thread-runtime.ts': '*' } },
  apollo: { from: { './apollo/cache.ts': '*' } },
  urql: { from: { './urql/cache.ts': '*' } },
  relay: { from: { './relay/store.ts': '*' } },
  transfer: { from: { './transfer/transfer.ts': '*' } },
  files: { from: { './files/files.ts': '*' } },
};

/** @returns the bytes of an entry, gzipped */
export async function sizeOf({ from }) {
  const text = Object.entries(from)
    .map(([path, names]) => `export ${names} from '${join(src, path)}';`)
    .join('\n');
  const bundle = await rolldown({
    input: 'entry',
    platform: 'browser',
    external: (id) =>
      /^(ai|react|zustand|@apollo\/client|@assistant-ui\/react|@urql\/[\w-]+|relay-runtime)(\/|$)/.test(id),
    resolve: { conditionNames: ['@parley/source', 'import'], extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? '\0entry.ts' : null),
        load: (id) => (id === '\0entry.ts' ? text : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output.reduce((sum, { code = '' }) => sum + gzipSync(code).length, 0);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, entry] of Object.entries(entries)) {
    const limit = entry.limit === undefined ? '' : ` of ${entry.limit}`;
    console.log(`${name}: ${await sizeOf(entry)}${limit} bytes`);
  }
}
