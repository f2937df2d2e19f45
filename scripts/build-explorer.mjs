/** Builds packages/explorer/dist, the pages that the server serves, unless it is up to date. */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, TRANSPORT } from './parts.mjs';

const folder = join(root, 'packages/explorer');
const stamp = join(folder, 'dist/.built-from');

const sources = [
  'packages/explorer/index.html',
  'packages/explorer/share.html',
  'packages/explorer/package.json',
  'package-lock.json',
  'scripts/build-explorer.mjs',
];
for (const src of ['packages/explorer/src', 'packages/client/src', TRANSPORT]) {
  if (!existsSync(join(root, src))) continue;
  for (const entry of readdirSync(join(root, src), { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) sources.push(join(entry.parentPath, entry.name).slice(root.length + 1));
  }
}
// An image has only runtime dependencies and an explorer that was built before.
if (existsSync(join(folder, 'index.html'))) {
  const builtFrom = sources
    .sort()
    .map((path) => {
      const { size, ctimeMs } = statSync(join(root, path));
      return `${path} ${size} ${ctimeMs}\n`;
    })
    .join('');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== builtFrom) {
    console.error('Building the explorer…');
    const { build } = await import('vite');
    await build({
      root: folder,
      configFile: false,
      logLevel: 'warn',
      base: '/',
      // Workers have no document: packages that use one have a "worker" condition.
      resolve: { conditions: ['@parley/source', 'module', 'worker', 'browser', 'production'] },
      // Workers load languages and formulas on demand.
      worker: { format: 'es' },
      oxc: { jsx: { runtime: 'automatic' } },
      build: {
        outDir: 'dist',
        emptyOutDir: true,
        // Vite does not load the styles of a part again after a failure.
        cssCodeSplit: false,
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          input: ['index.html', 'share.html'].map((page) => join(folder, page)),
          checks: { bundlerTimings: false },
          // 'use client' has no meaning in this page.
          onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
        },
      },
    });
    // The fonts of the pages are licensed under the SIL Open Font License, which must accompany them.
    copyFileSync(join(root, 'node_modules/@fontsource-variable/inter/LICENSE'), join(folder, 'dist/inter-LICENSE.txt'));
    writeFileSync(stamp, builtFrom);
  }
}
