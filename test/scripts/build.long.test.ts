/** The build step of `npm start` and of the commands, in a project of two modules. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { filesOf } from '../package/files-of.js';
import { outputOf, run } from '../package/run.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const GREETING = "export const greeting = 'Hello' as string;\n";
const OTHER_GREETING = GREETING.replace('Hello', 'Howdy');
const MAIN = `
import { greeting } from '../words/greeting.js';
console.log(greeting, ...process.argv.slice(2));
process.exitCode = 3;
`;

let project: string;
const write = (path: string, content: string) => writeFileSync(join(project, path), content);
const start = (...args: string[]) => run(process.execPath, ['scripts/run.mjs', ...args], project);

beforeEach(() => {
  project = temporaryFolder();
  for (const folder of ['scripts/prisma', 'src/cli', 'src/words'])
    mkdirSync(join(project, folder), { recursive: true });
  for (const name of ['build', 'build-explorer', 'build-modules', 'parts', 'run', 'transpile']) {
    cpSync(join(PROJECT, `scripts/${name}.mjs`), join(project, `scripts/${name}.mjs`));
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'));
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  write('package.json', JSON.stringify({ type: 'module', scripts: { start: scripts['start'] } }));
  write('package-lock.json', '{}');
  write('scripts/generate.mjs', '');
  write('scripts/prisma/generate-tables.mjs', '');
  write('src/cli/parley.ts', MAIN);
  writeGreeting(GREETING);
});

describe('a program', () => {
  it('is built before it runs, and receives its arguments', async () => {
    expect(await start('a', '--b')).toEqual({ code: 3, stdout: 'Hello a --b\n', stderr: 'Building…\n' });
    expect(filesOf(join(project, 'dist')).filter((path) => !path.startsWith('.'))).toEqual([
      'cli/parley.js',
      'cli/parley.js.map',
      'words/greeting.js',
      'words/greeting.js.map',
    ]);
  });

  it('is built without the clients of Prisma', async () => {
    write('scripts/generate.mjs', "throw new Error('prisma generate')");
    expect(await start()).toEqual({ code: 3, stdout: 'Hello\n', stderr: 'Building…\n' });
  });

  it('is not built again without a change', async () => {
    await start();
    const stamps = () =>
      filesOf(join(project, 'dist')).map((path) => readFileSync(join(project, 'dist', path), 'utf8'));
    const before = stamps();
    expect(await start()).toEqual({ code: 3, stdout: 'Hello\n', stderr: '' });
    expect(stamps()).toEqual(before);
  });

  it.each<[string, () => void, string?]>([
    ['a module has changed', () => write('src/words/greeting.ts', OTHER_GREETING), 'Howdy'],
    ['a module has changed, but neither its size nor its time', () => writeGreeting(OTHER_GREETING), 'Howdy'],
    ['there is a module more', () => write('src/words/farewell.ts', 'export {};\n')],
    ['a built file is missing', () => rmSync(join(project, 'dist/words/greeting.js'))],
    ['other packages are installed', () => write('package-lock.json', '{ }')],
  ])('is built again when %s', async (_, change, greeting = 'Hello') => {
    await start();
    change();
    expect(await start()).toEqual({ code: 3, stdout: `${greeting}\n`, stderr: 'Building…\n' });
    expect((await start()).stderr).toBe('');
  });

  it('has the operations next to its modules, and again after one is changed or missing', async () => {
    const built = () => readFileSync(join(project, 'dist/words/hello.graphql'), 'utf8');
    write('src/words/hello.graphql', '{ hello }\n');
    await start();
    expect(built()).toBe('{ hello }\n');
    expect((await start()).stderr).toBe('');
    write('src/words/hello.graphql', '{ howdy }\n');
    expect((await start()).stderr).toBe('Building…\n');
    expect(built()).toBe('{ howdy }\n');
    rmSync(join(project, 'dist/words/hello.graphql'));
    expect((await start()).stderr).toBe('Building…\n');
    expect(built()).toBe('{ howdy }\n');
  });

  it('is built with the packages of the project, and again after one of them has changed', async () => {
    mkdirSync(join(project, 'packages/words/src'), { recursive: true });
    write('packages/words/package.json', '{"type":"module","exports":"./dist/greeting.js"}');
    write('packages/words/src/greeting.ts', GREETING);
    write(
      'src/cli/parley.ts',
      "import { greeting } from '../../packages/words/dist/greeting.js';\nconsole.log(greeting);\n",
    );
    expect(await start()).toEqual({ code: 0, stdout: 'Hello\n', stderr: 'Building…\n' });
    expect(await start()).toEqual({ code: 0, stdout: 'Hello\n', stderr: '' });
    write('packages/words/src/greeting.ts', OTHER_GREETING);
    expect(await start()).toEqual({ code: 0, stdout: 'Howdy\n', stderr: 'Building…\n' });
    rmSync(join(project, 'packages/words/dist/greeting.js'));
    expect(await start()).toEqual({ code: 0, stdout: 'Howdy\n', stderr: 'Building…\n' });
  });

  it('is not built with syntax that Node 20 lacks', async () => {
    write('src/cli/parley.ts', 'using nothing = null;\n');
    const { code, stderr } = await start();
    expect(code).toBe(1);
    expect(stderr).toMatch(/parley\.ts has syntax that Node 20 lacks/);
  });
});

it.each(['SIGTERM', 'SIGINT'] as const)('npm start forwards %s, and ends when the server ends', async (signal) => {
  write(
    'src/cli/parley.ts',
    `setInterval(() => {}, 60_000);
process.once('${signal}', () => {
  console.log('Stopped');
  process.exit(0);
});
console.log('Ready');
`,
  );
  await outputOf(process.execPath, ['scripts/build.mjs'], project);
  const npm = spawn('npm', ['start', '--silent'], { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void npm.kill('SIGKILL'));
  const ended = once(npm, 'close');
  npm.stdout.once('data', () => npm.kill(signal));
  expect(await text(npm.stdout)).toBe('Ready\nStopped\n');
  expect(await ended).toEqual([0, null]);
});

/** Keeps the time of the file, like a copy that preserves times. */
function writeGreeting(content: string): void {
  write('src/words/greeting.ts', content);
  utimesSync(join(project, 'src/words/greeting.ts'), 1, 1);
}
