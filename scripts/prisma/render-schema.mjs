/**
 * Renders the portable models as the Prisma schema of each database, because `provider` cannot come from the
 * environment, and as the columns of src/conversation/tables.ts.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const PROVIDERS = ['sqlite', 'postgresql', 'sqlserver'];

/** A field with the types that it has on some databases: name, type, attributes, `// provider: type; provider: type`. */
const FIELD = /^(?<indent> +)(?<name>\w+)(?<gap> +)(?<type>\w+\??)(?<rest>[^/\n]*?)(?: *\/\/ (?<types>\w+: .*))?$/;
const DOCUMENTED_LINE = /((?: +\/\/\/ .*\n)*)( +\w.*)/g;
const MODEL = /^model \w+ \{\n([^}]*)@@map\("(\w+)"\)\n\}/gm;
/** The lines of the datasource and the generator that name a provider. */
const SETTING = /^( {2}(?:provider|output) += .*)\bsqlite"$/gm;

const pathOf = (name) => fileURLToPath(new URL(`../../prisma/${name}.prisma`, import.meta.url));

/**
 * Writes prisma/schema.PROVIDER.prisma when it differs from the models.
 * @param {string} provider one of PROVIDERS
 * @returns {string} the path
 */
export function writeSchema(provider) {
  return write(pathOf(`schema.${provider}`), renderSchema(readFileSync(pathOf('schema'), 'utf8'), provider));
}

/** Writes the module of the columns when it differs from the models. */
export function writeColumns(path) {
  return write(path, renderColumns(readFileSync(pathOf('schema'), 'utf8')));
}

function write(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  return path;
}

/**
 * @param {string} source the text of prisma/schema.prisma
 * @returns {string} a module with the columns of each table, in order
 */
export function renderColumns(source) {
  const tables = Array.from(source.matchAll(MODEL), ([, body, table]) => `${table}: {\n${columnsOf(body)}},\n`);
  return `/** The columns of each table: see src/conversation/tables.ts. */\nexport const TABLES = {\n${tables.join('')}} as const;\n`;
}

function columnsOf(body) {
  const columns = Array.from(body.matchAll(DOCUMENTED_LINE), ([, docs, line]) => {
    const { name, type = '', types = '' } = FIELD.exec(line)?.groups ?? {};
    const kind = types === 'row: none' ? undefined : kindOf(name, type.replace('?', ''), types);
    if (kind === undefined) return '';
    const comment = docs.replace(/\/\/\/ (.*)/g, '/** $1 */');
    return `${comment}  ${name}: { kind: '${kind}', isNullable: ${type.endsWith('?')} },\n`;
  });
  return columns.join('');
}

/** Undefined for a relation. */
function kindOf(name, type, types) {
  if (types.includes('postgresql: Json')) return 'jsonb';
  if (type === 'String') return types.includes('(Max)') ? 'text' : 'key';
  if (type === 'BigInt') return name.endsWith('At') ? 'time' : 'long';
  return { Int: 'int', Boolean: 'boolean' }[type];
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
