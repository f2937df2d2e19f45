/** Renders the portable models as the Prisma schema of each database: `provider` cannot come from the environment. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const PROVIDERS = ['sqlite', 'postgresql', 'sqlserver'];

/** A field with the types that it has on some databases: name, type, attributes, `// provider: type; provider: type`. */
const FIELD = /^(?<indent> +)(?<name>\w+)(?<gap> +)(?<type>\w+\??)(?<rest>[^/\n]*?)(?: *\/\/ (?<types>\w+: .*))?$/;
/** The lines of the datasource and the generator that name a provider. */
const SETTING = /^( {2}(?:provider|output) += .*)\bsqlite"$/gm;

const pathOf = (name) => fileURLToPath(new URL(`../prisma/${name}.prisma`, import.meta.url));

/**
 * Writes prisma/schema.PROVIDER.prisma when it differs from the models.
 * @param {string} provider one of PROVIDERS
 * @returns {string} the path
 */
export function writeSchema(provider) {
  const path = pathOf(`schema.${provider}`);
  const schema = renderSchema(readFileSync(pathOf('schema'), 'utf8'), provider);
  if (!existsSync(path) || readFileSync(path, 'utf8') !== schema) writeFileSync(path, schema);
  return path;
}

/**
 * @param {string} source the text of prisma/schema.prisma
 * @param {string} provider one of PROVIDERS
 * @returns {string} the schema
 */
export function renderSchema(source, provider) {
  const lines = source.split('\n').map((line) => {
    if (/^\s*(\/\/|@@)/.test(line)) return line;
    const { indent, name, gap, type, rest, types } = FIELD.exec(line)?.groups ?? {};
    if (type === undefined) return line;
    const own = ownType(types, provider) ?? (provider === 'sqlserver' ? sqlServerType(type) : type);
    return `${indent}${name}${gap}${own}${rest}`;
  });
  return lines.join('\n').replace(SETTING, `$1${provider}"`);
}

function ownType(types, provider) {
  const own = types?.split('; ').find((each) => each.startsWith(`${provider}: `));
  return own?.slice(provider.length + 2);
}

/** Short enough for the keys of its indexes, as text of the length that src/conversation/bounds.ts allows. */
function sqlServerType(type) {
  return /^String\??$/.test(type) ? `${type} @db.NVarChar(255)` : type;
}
