/** Module hooks that load a .ts file where an import names the .js file it would become, as the build makes it. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transpile } from './transpile.mjs';

export async function resolve(specifier, context, nextResolve) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  // Packages of this repository resolve to packages/*/src.
  return nextResolve(specifier, { ...context, conditions: [...context.conditions, '@parley/source'] });
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code, map } = transpile(path, readFileSync(path, 'utf8'));
  const inline = Buffer.from(JSON.stringify(map)).toString('base64');
  const source = `${code}//# sourceMappingURL=data:application/json;base64,${inline}\n`;
  return { format: 'module', source, shortCircuit: true };
}
