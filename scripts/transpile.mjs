/** Compiles TypeScript to JavaScript for Node: it removes types without checking them (`npm run typecheck` checks). */
import { stripVTControlCharacters } from 'node:util';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { minifySync, transformSync } from 'rolldown/utils';

/** As in tsconfig.json: newer syntax is compiled for Node 20, and imports without `type` are kept. */
const OPTIONS = { target: 'es2023', typescript: { onlyRemoveTypeImports: true }, sourcemap: true };
/** Removes comments only: declarations and the sources in the source maps contain them. */
const WITHOUT_COMMENTS = { compress: false, mangle: false, codegen: { removeWhitespace: false }, sourcemap: true };

/**
 * @param {string} path of the module, for its source map and for errors
 * @param {string} text its TypeScript
 * @returns {{ code: string, map: object }}
 * @throws Error with the syntax errors, or the syntax that Node 20 lacks
 */
export function transpile(path, text) {
  const { code, map, errors, helpersUsed } = transformSync(path, text, OPTIONS);
  if (errors.length > 0) throw new Error(stripVTControlCharacters(errors.map(({ message }) => message).join('\n')));
  // Helpers would be imported from a package that is not installed.
  const helpers = Object.keys(helpersUsed);
  if (helpers.length > 0) throw new Error(`${path} has syntax that Node 20 lacks: ${helpers.join(', ')}`);
  const bare = minifySync(path, code, { ...WITHOUT_COMMENTS, inputMap: map });
  return { code: bare.code, map: { ...bare.map, mappings: linesOf(bare.map.mappings) } };
}

/** Maps lines without columns: stack traces name the right lines, and packages are a tenth smaller. */
function linesOf(mappings) {
  return encode(decode(mappings).map((segments) => segments.slice(0, 1)));
}
