/**
 * Renders the schema of each database from the portable one, and generates their clients into src/generated.
 *
 * It takes Prisma's generator alone, and not its command line: that has 130 packages more, fetches an engine from the
 * network before it does anything, and takes ten times as long.
 *
 * Nothing is done when the clients are already those of the present schema and the present version of Prisma.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROVIDERS, renderSchema } from './render-schema.mjs';

const require = createRequire(import.meta.url);
const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const source = join(root, 'prisma', 'schema.prisma');
const generated = join(root, 'src', 'generated');
const stamp = join(generated, '.made-from');

const manifest = join(dirname(require.resolve('@prisma/client-generator-ts')), '..', 'package.json');
const inputs = [source, manifest, self, join(dirname(self), 'render-schema.mjs')];
const hash = inputs.reduce((digest, file) => digest.update(readFileSync(file)), createHash('sha256'));
const madeFrom = `${hash.digest('hex')}\n`;
const isMade = PROVIDERS.every((provider) => existsSync(join(generated, provider, 'client.ts')));

if (!isMade || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== madeFrom) {
  console.error('Generating the database clients…');
  // Without its stamp, a client that was left half written is made again.
  rmSync(stamp, { force: true });
  mkdirSync(generated, { recursive: true });
  for (const provider of PROVIDERS) await generate(provider);
  writeFileSync(stamp, madeFrom);
}

/** @throws Error that says what is wrong with the models */
async function generate(provider) {
  // Its ES module does not load on Node.
  const { generateClient, getDMMF } = require('@prisma/client-generator-ts');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const datamodel = renderSchema(readFileSync(source, 'utf8'), provider);
  const schemaPath = join(generated, `${provider}.prisma`);
  const outputDir = join(generated, provider);
  await generateClient({
    datamodel,
    schemaPath,
    outputDir,
    dmmf: await getDMMF({ datamodel: [[schemaPath, datamodel]] }),
    datasources: [{ name: 'db', provider, activeProvider: provider, schemas: [], sourceFilePath: schemaPath }],
    activeProvider: provider,
    generator: { name: 'client', config: {}, binaryTargets: [], previewFeatures: [], sourceFilePath: schemaPath },
    runtimeBase: '@prisma/client/runtime',
    target: 'nodejs',
    moduleFormat: 'esm',
    generatedFileExtension: 'ts',
    importFileExtension: 'js',
    tsNoCheckPreamble: true,
    compilerBuild: 'fast',
    clientVersion: version,
    engineVersion: version,
    binaryPaths: {},
  });
}
