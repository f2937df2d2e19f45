/** Compares the Dockerfile with the project; image.long.test.ts builds the image. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { run } from '../package/run.js';
import { startServer } from '../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { freePort } from '../support/server/free-port.js';
import { argumentsOf, dockerfileStages, environmentOf, ignoreRules } from './dockerfile.js';
import { PROJECT } from './manifests.js';

const textOf = (name: string) => readFileSync(join(PROJECT, name), 'utf8');

const stages = dockerfileStages();
const image = stages.at(-1)!;

/** Sources of COPY lines in the project, not in another stage. */
const copied = stages
  .flatMap((stage) => argumentsOf(stage, 'COPY'))
  .filter((what) => !what.startsWith('--from='))
  .flatMap((what) => what.split(' ').slice(0, -1));

describe('the copied files', () => {
  it('exist', () => {
    expect(copied).toContain('src');
    expect(copied.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });

  it('are exactly the files that .dockerignore includes', () => {
    const [everything, ...rules] = ignoreRules();
    expect(everything).toBe('*');
    const letThrough = rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
    expect(letThrough.sort()).toEqual([...new Set(copied.map((path) => path.split('/')[0]))].sort());
    // Files of the building machine, and secrets.
    expect(rules).toEqual(expect.arrayContaining(['src/generated', '**/.env*']));
  });

  it('include the packages of the project that the server depends on', () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
    const folders = Object.keys(dependencies).flatMap((name) => /^@parley\/(.*)$/.exec(name)?.[1] ?? []);
    expect(folders).not.toEqual([]);
    for (const folder of folders) {
      const manifest = `packages/${folder}/package.json packages/${folder}/`;
      // Before npm ci, and in the final image.
      expect([stages[0]!, image].map((stage) => argumentsOf(stage, 'COPY').includes(manifest))).toEqual([true, true]);
      expect(argumentsOf(image, 'COPY')).toContain(`--from=build /app/packages/${folder}/dist packages/${folder}/dist`);
    }
  });
});

describe('the image', () => {
  it('has the settings of a server that requires tokens', () => {
    const config = readConfig({ ...environmentOf(image), AUTH_JWT_SECRET: 'x'.repeat(32) });
    expect(config).toMatchObject({ host: '0.0.0.0', demo: false });
    expect(argumentsOf(image, 'EXPOSE')).toEqual([String(config.port)]);
  });

  it('is healthy exactly if the server is ready', async () => {
    const [check = ''] = argumentsOf(image, 'HEALTHCHECK');
    const [program = '', ...args] = JSON.parse(check.slice(check.indexOf('CMD ') + 4)) as string[];
    const checkAt = async (PORT: string) => (await run(program, args, PROJECT, { PORT })).code;
    const server = await startServer({ DATABASE_URL: temporaryDatabaseUrl() });
    expect(await checkAt(new URL(server.url).port)).toBe(0);
    expect(await checkAt(String(await freePort()))).toBe(1);
  });
});

test('the packages of the image are installed once: all dependencies of the server, without development dependencies', () => {
  const commands = stages.flatMap((stage) => argumentsOf(stage, 'RUN'));
  expect(commands.filter((command) => /npm (ci|install)/.test(command))).toEqual(['npm ci']);
  const [prune = ''] = argumentsOf(
    stages.find(({ name }) => name === 'dependencies')!,
    'RUN',
  );
  const [, removed = ''] = /^npm prune --omit=dev && rm -rf (.*)$/.exec(prune) ?? [];
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { dev?: true }> };
  const isInstalled = (name: string) =>
    packages[`node_modules/${name}`]!.dev !== true && !removed.split(' ').includes(`node_modules/${name}`);
  const { dependencies, optionalDependencies } = JSON.parse(textOf('package.json')) as Record<string, object>;
  const needed = Object.keys({ ...dependencies, ...optionalDependencies });
  expect(needed.filter((name) => !isInstalled(name))).toEqual([]);
  expect(['prisma', 'typescript', 'vitest', 'oxlint'].filter(isInstalled)).toEqual([]);
});
