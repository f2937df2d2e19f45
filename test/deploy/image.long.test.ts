/**
 * The image of the Dockerfile builds from the files of the repository and runs as documented: with a read-only root, as an
 * unprivileged user.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sha256, withFile } from '../features/files/file-server.js';
import { prebuiltSqlite } from '../package/prebuilt-sqlite.js';
import { outputOf, run } from '../package/run.js';
import { startPostgresql } from '../support/database/embedded-postgresql.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startServer, type Settings } from '../support/server/server-process.js';
import { bearer, SECRET } from '../support/server/tokens.js';
import { buildWithBuildah, whyNoBuildah } from './buildah-image.js';
import { inContainer, stopContainer, whyNoContainers, type Image } from './container-process.js';
import { argumentsOf, dockerfileStages } from './dockerfile.js';
import { documentedRuns, NamedVolumes, type DocumentedRun } from './documented-runs.js';
import { PROJECT } from './manifests.js';

const [command = ''] = argumentsOf(dockerfileStages().at(-1)!, 'CMD');
const [SERVE, BACKUP, RESTORE] = documentedRuns();

/** As for a test: Debian and the packages are installed. */
const HOOK_LIMIT_MS = 3_600_000;

const CONTENT = 'A file in the container';
const FILE = sha256(CONTENT);

describe('buildah builds it on Debian packages', () => {
  let place: string | undefined;
  let missing: string | undefined;
  let image: Image;
  beforeAll(async () => {
    missing = (await whyNoContainers()) ?? (await whyNoBuildah()) ?? (await whyNoPackages());
    if (missing !== undefined) return;
    place = mkdtempSync(join(tmpdir(), 'parley-image-'));
    for (const name of ['prebuilt', 'build', 'clone']) mkdirSync(join(place, name));
    const environment = { ...(await npmSettings()), ...(await prebuiltSqlite(join(place, 'prebuilt'))) };
    const clone = await filesOfRepository(join(place, 'clone'));
    image = await buildWithBuildah(clone, join(place, 'build'), { environment, shared: sharedOf(environment) });
  }, HOOK_LIMIT_MS);
  afterAll(() => place !== undefined && rmSync(place, { recursive: true }), HOOK_LIMIT_MS);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  /** Runs a documented command to its end. @returns its output */
  const runToEnd = async (volumes: NamedVolumes, documented: DocumentedRun, settings: Settings) => {
    const [program = '', ...args] = inContainer(image, volumes.of(documented), documented.command);
    return outputOf(program, args, '/', { ...settings });
  };

  /** Starts the server of the image for the user ann. */
  const serve = async (volumes: NamedVolumes, documented: DocumentedRun, settings: Settings) => {
    const program = ['env', 'HOST=127.0.0.1', 'PORT=0', ...(JSON.parse(command) as string[])];
    const server = await startServer(
      { ...settings, AUTH_JWT_SECRET: SECRET },
      { command: inContainer(image, volumes.of(documented), program) },
    );
    const headers = await bearer('ann');
    const at = (path: string) => new URL(path, server.url);
    const post = (path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
      fetch(at(path), { method: 'POST', headers: { ...headers, 'content-type': type }, body });
    const ask = async (query: string, variables: object): Promise<unknown> =>
      (await post('/graphql', JSON.stringify({ query, variables }))).json();
    const read = async (path: string) => (await fetch(at(path), { headers })).text();
    const stop = async () => {
      stopContainer(server.pid);
      expect(await server.exited).toMatchObject({ code: 0 });
    };
    return { post, ask, read, stop };
  };

  it('it saves, imports, exports and stops on SIGTERM', async () => {
    const volumes = new NamedVolumes(image, temporaryFolder());
    const { post, ask, read, stop } = await serve(volumes, SERVE, { DATABASE_URL: 'file:./data/parley.db' });
    expect(await ask(SAVE, { content: { text: 'Saved in the container' } })).toMatchObject({
      data: { saveMessages: { branch: { messageCount: 1 } } },
    });
    const imported = await post(
      '/import',
      readFileSync(join(PROJECT, 'test/features/imports/readers/samples/lines.jsonl')),
    );
    expect([imported.status, await imported.text()]).toEqual([200, expect.stringContaining('"imported":1')]);
    const exported = await read('/export');
    expect(exported).toContain('Saved in the container');
    expect(exported).toContain('lines');
    expect(JSON.parse(await read('/health/ready'))).toMatchObject({ status: 'ready' });
    await stop();
  });

  it('it can write only to the volumes', async () => {
    const volumes = new NamedVolumes(image, temporaryFolder()).of(SERVE);
    const [program = '', ...args] = inContainer(image, volumes, [
      'find',
      '/',
      '-path',
      '/proc',
      '-prune',
      '-o',
      ...WRITABLE,
    ]);
    const { stdout } = await run(program, args, '/');
    expect(stdout.trim().split('\n').sort()).toEqual(SERVE.volumes.map(({ target }) => target).sort());
  });

  it.for(['SQLite', 'PostgreSQL'])(
    'the documented commands back up %s beside its server, and restore it for another one',
    async (kind, { skip }) => {
      let settings: Settings = { DATABASE_URL: 'file:./data/parley.db' };
      let restored = settings;
      if (kind === 'PostgreSQL') {
        const bin = installedPostgresql() ?? skip('no PostgreSQL of Debian: apt-get install postgresql');
        const urlOf = await newDatabases(bin, ['chats', 'restored']);
        const FILES_URL = 'file:./data/files';
        settings = { DATABASE_URL: urlOf('chats'), FILES_URL, MIGRATE_ON_START: 'true' };
        restored = { DATABASE_URL: urlOf('restored'), FILES_URL };
      }
      const volumes = new NamedVolumes(image, temporaryFolder());
      const server = await serve(volumes, SERVE, settings);
      const uploaded = await server.post('/files?name=a.txt', Buffer.from(CONTENT), 'application/octet-stream');
      expect(uploaded.status).toBe(201);
      const content = { data: withFile(`parley:file:${FILE}`) };
      expect(await server.ask(SAVE, { content })).toMatchObject({
        data: { saveMessages: { branch: { messageCount: 1 } } },
      });
      expect(await runToEnd(volumes, BACKUP, settings)).toContain(`1 file with ${CONTENT.length} bytes`);
      await server.stop();

      expect(await runToEnd(volumes, RESTORE, restored)).toMatch(/ was restored from \/app\/backups\//);
      const another = await serve(volumes, { ...SERVE, volumes: RESTORE.volumes }, restored);
      expect(await another.read('/export')).toContain('photo.png');
      expect(await another.read(`/files/${FILE}?message=m`)).toBe(CONTENT);
      await another.stop();
    },
  );
});

const WRITABLE = ['-type', 'd', '-writable', '-print'];

const SAVE = `mutation ($content: MessageContent!) {
  createChat(input: { id: "c" }) { __typename }
  saveMessages(input: { chatId: "c", messages: [{ id: "m", name: "user", content: $content }] }) {
    ... on SaveMessagesPayload { branch { messageCount } }
    ... on Error { message }
  }
}`;

/** Copies the files of the repository, with changes that are not committed, and without ignored ones. */
async function filesOfRepository(folder: string): Promise<string> {
  const listed = await outputOf('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], PROJECT);
  for (const path of listed.split('\0').filter((each) => each !== '' && existsSync(join(PROJECT, each)))) {
    cpSync(join(PROJECT, path), join(folder, path));
  }
  return folder;
}

/** The programs of a PostgreSQL server of Debian; undefined if none is installed. The one from npm is newer than pg_dump. */
function installedPostgresql(): string | undefined {
  const versions = existsSync(POSTGRESQL) ? readdirSync(POSTGRESQL) : [];
  return versions.map((version) => join(POSTGRESQL, version, 'bin')).find((bin) => existsSync(join(bin, 'postgres')));
}

const POSTGRESQL = '/usr/lib/postgresql';

/** Starts a server with new databases. @returns the URL of a database */
async function newDatabases(bin: string, names: readonly string[]): Promise<(name: string) => string> {
  const postgresql = await startPostgresql(undefined, bin);
  onTestFinished(() => postgresql.remove());
  const client = new pg.Client(postgresql.url);
  await client.connect();
  for (const name of names) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return (name) => new URL(`/${name}`, postgresql.url).href;
}

/** npm's registry and cache settings of this machine, as environment variables. */
async function npmSettings(): Promise<Record<string, string>> {
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  const setting = async (name: string) => (await outputOf('npm', ['config', 'get', name], PROJECT)).trim();
  return {
    npm_config_registry: await setting('registry'),
    npm_config_cache: await setting('cache'),
    npm_config_prefer_offline: 'true',
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
  };
}

/** The folders in these variables. */
function sharedOf({ NODE_EXTRA_CA_CERTS: certificates, ...variables }: Record<string, string>): string[] {
  const folders = Object.values(variables).filter((value) => value.startsWith('/'));
  return certificates === undefined ? folders : [...folders, dirname(certificates)];
}

async function whyNoPackages(): Promise<string | undefined> {
  const { code } = await run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000'], PROJECT);
  return code === 0 ? undefined : "npm's registry cannot be reached";
}
