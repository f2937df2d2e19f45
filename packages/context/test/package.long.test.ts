/** The package from `npm pack`, in a folder without other packages. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { filesOf } from '../../../test/package/files-of.js';
import { npmInstall } from '../../../test/package/npm-install.js';
import { packProject, PROJECT } from '../../../test/package/packed.js';
import { outputOf, run } from '../../../test/package/run.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';

const folder = mkdtempSync(join(tmpdir(), 'parley-context-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = `
import { ContextEngine, MarkdownRenderer, RemoteStore, role, TomlRenderer, ToonRenderer, XmlRenderer } from '@parley/context';
const renderers = [new XmlRenderer(), new MarkdownRenderer(), new TomlRenderer(), new ToonRenderer()];
console.log(JSON.stringify(renderers.map((renderer) => renderer.render([role('You are helpful.')]))));
new ContextEngine({ store: new RemoteStore({ url: 'http://127.0.0.1:1/graphql' }), chatId: 'c', userId: 'u' });
`;
const PROMPTS = [
  '<role>You are helpful.</role>',
  '## role\n\nYou are helpful.',
  'role = "You are helpful."',
  'role: You are helpful.',
];

const ANSWER_PROGRAM = `
import { RemoteStore } from '@parley/context';
import { createAnswerHandler } from '@parley/context/answer';
const store = new RemoteStore({ url: 'http://127.0.0.1:1/graphql' });
export default { fetch: createAnswerHandler({ store, stream: () => ['Porto.'] }) };
`;

let tarball: string;
/** The output of npm. */
let npmOutput: string;
/** The reason of a failed installation that the package does not cause. */
let missing: string | undefined;

beforeAll(async () => {
  tarball = await packProject(folder, 'packages/context');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'agent', private: true, type: 'module' }));
  writeFileSync(join(folder, 'program.js'), PROGRAM);
  rmSync(join(folder, 'project'), { recursive: true });
  ({ stderr: npmOutput, missing } = await npmInstall(['npm', 'install', tarball], folder));
});

beforeEach(({ skip }) => {
  skip(missing !== undefined, missing);
});

describe('the tarball, installed in an empty folder', () => {
  test('installs five packages of 0.7 MB, without a warning', () => {
    const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
      packages: Record<string, object>;
    };
    expect(Object.keys(lock.packages)).toEqual([
      'node_modules/@parley/context',
      'node_modules/@toon-format/toon',
      'node_modules/p-limit',
      'node_modules/smol-toml',
      'node_modules/yocto-queue',
    ]);
    const installed = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
    const bytes = installed.map((path) => statSync(join(folder, 'node_modules', path)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(0.7 * 1024 ** 2);
    // Warnings about npm's own settings do not concern the package.
    expect(npmOutput).not.toMatch(/EBADENGINE|deprecated|install.?scripts/i);
  });

  test('contains only its modules and their declarations', () => {
    const sources = filesOf(join(PROJECT, 'packages/context/src'));
    const copies = filesOf(join(PROJECT, 'packages/transport/src')).map((file) => `transport/${file}`);
    const built = [...sources, ...copies].flatMap((file) =>
      ['js', 'd.ts'].map((ending) => `dist/${file.replace(/ts$/, ending)}`),
    );
    const expected = ['LICENSE', 'README.md', 'package.json', ...built];
    expect(filesOf(join(folder, 'node_modules/@parley/context'))).toEqual(expected.sort());
  });

  test('prints nothing when it is imported', async () => {
    const { code, stdout, stderr } = await run(process.execPath, ['program.js'], folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(PROMPTS);
  });

  test('can be required by a CommonJS module where Node supports it', async () => {
    const script = "console.log(typeof require('@parley/context').ContextEngine)";
    const args = ['--no-warnings', '--input-type=commonjs', '-e', script];
    expect(await outputOf(process.execPath, args, folder)).toBe('function\n');
  });
});

describe('bundled for a browser', () => {
  test('contains nothing of Node, and runs with only the language, fetch and crypto', async () => {
    const { code, imports, warnings } = await bundleOf(PROGRAM);
    expect({ imports, warnings }).toEqual({ imports: [], warnings: [] });
    expect(code).not.toMatch(/['"`]node:|\b(process|Buffer|require|__dirname)\b\s*[.(]/);
    expect(await bareOutputOf(code)).toEqual(PROMPTS);
  });

  test('omits unused code: everything, when nothing is used', async () => {
    expect((await bundleOf("import '@parley/context';")).code.trim()).toBe('');
    const one = await bundleOf("import { role } from '@parley/context'; console.log(role('…'));");
    const all = await bundleOf(PROGRAM);
    expect(one.code.length).toBeLessThan(all.code.length / 20);
  });

  test('answers without the package ai, in a Worker with its own stream', async () => {
    const { code, imports, warnings } = await bundleOf(ANSWER_PROGRAM);
    expect({ imports, warnings }).toEqual({ imports: ['ai'], warnings: [] });
    expect(code).not.toMatch(/['"`]node:|\b(process|Buffer|require|__dirname)\b\s*[.(]/);
  });

  async function bundleOf(program: string): Promise<{ code: string; imports: string[]; warnings: string[] }> {
    const entry = join(folder, 'entry.js');
    writeFileSync(entry, program);
    const warnings: string[] = [];
    const bundle = await rolldown({
      input: entry,
      platform: 'browser',
      onLog: (_, { message }) => warnings.push(message),
    });
    const { output } = await bundle.generate({ format: 'esm' });
    await bundle.close();
    const [{ code, imports, dynamicImports }] = output;
    return { code: code.replace(/^\/\/#.*$/gm, ''), imports: [...imports, ...dynamicImports], warnings };
  }

  async function bareOutputOf(code: string): Promise<unknown> {
    const file = join(temporaryFolder(), 'bundle.js');
    // See bare-runtime.mjs.
    const shown = `const shown = [];\nconst console = { log: (text) => shown.push(text) };\n${code}`;
    writeFileSync(file, `${shown}\nexport default () => JSON.parse(shown[0]);\n`);
    const runtime = join(PROJECT, 'test/package/bare-runtime.mjs');
    const options = ['--no-warnings', '--experimental-vm-modules', '--experimental-import-meta-resolve'];
    const output = await outputOf(process.execPath, [...options, runtime, `file://${file}`, ''], folder);
    return (JSON.parse(output) as { answer: unknown }).answer;
  }
});
