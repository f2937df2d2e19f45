/** The imports of built files, read without running them. */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { resolve } from 'node:path';

/** Static imports begin a line. Comments contain only indented code. */
const SPECIFIER =
  /^(?:(?:import|export)(?:[^'"=();]*\bfrom)?\s*|\/\/\/ <reference (?:path|types)=)["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm;

export interface ModuleGraph {
  /** The files of the package, including the entry. */
  files: string[];
  /** The names of other packages, unique and sorted. */
  packages: string[];
  /** Node's own modules. */
  builtins: string[];
}

/** Follows the imports of a .js or .d.ts file within its package: `import`, `import()` and type references. */
export function moduleGraph(entry: string): ModuleGraph {
  const files = new Set([entry]);
  const packages = new Set<string>();
  const builtins = new Set<string>();
  // Files found here are visited, too: a set iterates over elements that are added meanwhile.
  for (const file of files) {
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) files.add(besides(file, specifier));
      else if (isBuiltin(specifier)) builtins.add(specifier);
      else packages.add(packageOf(specifier));
    }
  }
  return { files: [...files], packages: [...packages].sort(), builtins: [...builtins].sort() };
}

/** The specifiers of a file. */
function importsOf(file: string): string[] {
  return Array.from(readFileSync(file, 'utf8').matchAll(SPECIFIER), ([, first, second = '']) => first ?? second);
}

/** Declarations name the .js files that they declare. */
function besides(file: string, specifier: string): string {
  const path = resolve(file, '..', specifier);
  return file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path;
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
