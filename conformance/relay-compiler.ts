/** Relay's compiler on documents, as an application runs it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCHEMA = fileURLToPath(new URL('../schema.graphql', import.meta.url));
const COMPILER = fileURLToPath(new URL('node_modules/relay-compiler/cli.js', import.meta.url));

/** As a client of this server has to have it: its nodes have a nodeId, and an id that is theirs. */
const SCHEMA_CONFIG = { nodeInterfaceIdField: 'nodeId' };

const CONFIG = {
  src: 'src',
  schema: 'schema.graphql',
  artifactDirectory: 'artifacts',
  language: 'typescript',
};

/**
 * Compiles documents.
 * @param folder where that is done
 * @param documents by the names of their modules, one in each
 * @returns the folder of the artifacts
 */
export function compileRelay(
  folder: string,
  documents: Iterable<readonly [module: string, text: string]>,
  schemaConfig: object = SCHEMA_CONFIG,
): string {
  const artifacts = join(folder, 'artifacts');
  for (const path of [join(folder, 'src'), artifacts]) mkdirSync(path, { recursive: true });
  cpSync(SCHEMA, join(folder, 'schema.graphql'));
  writeFileSync(join(folder, 'relay.config.json'), JSON.stringify({ ...CONFIG, schemaConfig }));
  for (const [module, text] of documents) writeFileSync(join(folder, `src/${module}.ts`), `graphql\`${text}\`;\n`);
  const args = [COMPILER, '--noWatchman', 'relay.config.json'];
  execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  return artifacts;
}
