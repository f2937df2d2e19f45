/**
 * Module hooks that load a .ts file where an import names the .js file it would become. The compiler and its target are
 * those of the build, so that what is measured here is what is shipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const configFile = join(dirname(dirname(fileURLToPath(import.meta.url))), 'tsconfig.json');
const { options } = ts.convertCompilerOptionsFromJson(
  ts.readConfigFile(configFile, (path) => readFileSync(path, 'utf8')).config.compilerOptions,
  dirname(configFile),
);
const compilerOptions = {
  ...options,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: false,
  inlineSourceMap: true,
  inlineSources: true,
};

export async function resolve(specifier, context, nextResolve) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const fileName = fileURLToPath(url);
  const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { fileName, compilerOptions });
  return { format: 'module', source: outputText, shortCircuit: true };
}
