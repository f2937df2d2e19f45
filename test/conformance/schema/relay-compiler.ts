/** Runs Relay's compiler on documents, like an application. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { relayConfig } from '../../support/chats/frontend-documents.js';

const SCHEMA = fileURLToPath(new URL('../../../schema.graphql', import.meta.url));
const COMPILER = fileURLToPath(new URL('../node_modules/relay-compiler/cli.js', import.meta.url));

/**
 * Compiles documents with the configuration of docs/graphql/caches.md.
 * @param folder for the compilation
 * @param documents by the names of their modules, one in each
 * @returns the folder of the artifacts
 */
export function compileRelay(
  folder: string,
  documents: Iterable<readonly [module: string, text: string]>,
  schemaConfig = relayConfig.schemaConfig,
): string {
  const artifacts = join(folder, 'artifacts');
  for (const path of [join(folder, 'src'), artifacts]) mkdirSync(path, { recursive: true });
  const schema = join(folder, relayConfig.schema);
  mkdirSync(dirname(schema), { recursive: true });
  cpSync(SCHEMA, schema);
  const config = { ...relayConfig, schemaConfig, artifactDirectory: 'artifacts' };
  writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(config));
  for (const [module, text] of documents) writeFileSync(join(folder, `src/${module}.ts`), `graphql\`${text}\`;\n`);
  const args = [COMPILER, '--noWatchman', 'relay.config.json'];
  execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  return artifacts;
}
