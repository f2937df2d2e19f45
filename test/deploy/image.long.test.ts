/** The image of the Dockerfile builds and runs as documented: with a read-only root, as an unprivileged user. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prebuiltSqlite } from '../package/prebuilt-sqlite.js';
import { outputOf, run } from '../package/run.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startServer } from '../support/server/server-process.js';
import { bearer, SECRET } from '../support/server/tokens.js';
import { buildWithBuildah, whyNoBuildah } from './buildah-image.js';
import { inContainer, makeVolume, stopContainer, whyNoContainers, type Image } from './container-process.js';
import { argumentsOf, dockerfileStages } from './dockerfile.js';
import { documentedVolumes } from './documented-volumes.js';
import { PROJECT } from './manifests.js';

const [command = ''] = argumentsOf(dockerfileStages().at(-1)!, 'CMD');

describe('buildah builds it on Debian packages', () => {
  let place: string | undefined;
  let missing: string | undefined;
  let image: Image;
  beforeAll(async () => {
    missing = (await whyNoContainers()) ?? (await whyNoBuildah()) ?? (await whyNoPackages());
    if (missing !== undefined) return;
    place = mkdtempSync(join(tmpdir(), 'parley-image-'));
    mkdirSync(join(place, 'prebuilt'));
    const environment = { ...(await npmSettings()), ...(await prebuiltSqlite(join(place, 'prebuilt'))) };
    mkdirSync(join(place, 'build'));
    image = await buildWithBuildah(join(place, 'build'), environment, sharedOf(environment));
  });
  afterAll(() => place !== undefined && rmSync(place, { recursive: true }), 600_000);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  /** New volumes at the targets of the documented command. */
  const volumes = () => {
    const below = temporaryFolder();
    return documentedVolumes().map(({ target }, n) => makeVolume(image, join(below, String(n)), target));
  };

  it('it saves, imports, exports and stops on SIGTERM', async () => {
    const settings = { DATABASE_URL: 'file:./data/parley.db', HOST: '127.0.0.1', AUTH_JWT_SECRET: SECRET };
    const variables = Object.entries({ ...settings, PORT: '0' }).map(([variable, value]) => `${variable}=${value}`);
    const program = ['env', ...variables, ...(JSON.parse(command) as string[])];
    const server = await startServer(settings, { command: inContainer(image, volumes(), program) });
    const headers = { ...(await bearer('ann')), 'content-type': 'application/json' };
    const at = (path: string) => new URL(path, server.url);

    const saved = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query: SAVE }) });
    expect(await saved.json()).toMatchObject({ data: { saveMessages: { branch: { messageCount: 1 } } } });
    const body = readFileSync(join(PROJECT, 'test/features/imports/readers/samples/lines.jsonl'));
    const imported = await fetch(at('/import'), { method: 'POST', headers, body });
    expect([imported.status, await imported.text()]).toEqual([200, expect.stringContaining('"imported":1')]);
    const exported = await (await fetch(at('/export'), { headers })).text();
    expect(exported).toContain('Saved in the container');
    expect(exported).toContain('lines');
    expect((await fetch(at('/health/ready'))).status).toBe(200);

    stopContainer(server.pid);
    expect(await server.exited).toMatchObject({ code: 0 });
  });

  it('it can write only to the volumes', async () => {
    const [program = '', ...args] = inContainer(image, volumes(), [
      'find',
      '/',
      '-path',
      '/proc',
      '-prune',
      '-o',
      ...WRITABLE,
    ]);
    const { stdout } = await run(program, args, '/');
    expect(stdout.trim().split('\n').sort()).toEqual(
      documentedVolumes()
        .map(({ target }) => target)
        .sort(),
    );
  });
});

const WRITABLE = ['-type', 'd', '-writable', '-print'];

const SAVE = `mutation {
  createChat(input: { id: "c" }) { __typename }
  saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { text: "Saved in the container" } }] }) {
    ... on SaveMessagesPayload { branch { messageCount } }
    ... on Error { message }
  }
}`;

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
