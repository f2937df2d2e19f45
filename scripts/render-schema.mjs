/** From the portable models to the Prisma schema of one database. */

export const PROVIDERS = ['sqlite', 'postgresql', 'sqlserver'];

/** A field with the types that it has on some databases: name, type, attributes, `// provider: type; provider: type`. */
const FIELD = /^(?<indent> +)(?<name>\w+)(?<gap> +)(?<type>\w+\??)(?<rest>[^/\n]*?)(?: *\/\/ (?<types>\w+: .*))?$/;

/**
 * @param {string} source the text of prisma/schema.prisma
 * @param {string} provider one of PROVIDERS
 * @returns {string} the schema
 */
export function renderSchema(source, provider) {
  const lines = source.split('\n').map((line) => {
    if (/^\s*(\/\/|@@)/.test(line)) return line;
    const { indent, name, gap, type, rest, types } = FIELD.exec(line)?.groups ?? {};
    if (type === undefined || name === 'provider') return line;
    const own = ownType(types, provider) ?? (provider === 'sqlserver' ? sqlServerType(type) : type);
    return `${indent}${name}${gap}${own}${rest}`;
  });
  return lines.join('\n').replace(/(?<=^  provider += )"sqlite"/m, `"${provider}"`);
}

function ownType(types, provider) {
  const own = types?.split('; ').find((each) => each.startsWith(`${provider}: `));
  return own?.slice(provider.length + 2);
}

/** Short enough for the keys of its indexes, as text of the length that src/conversation/bounds.ts allows. */
function sqlServerType(type) {
  return /^String\??$/.test(type) ? `${type} @db.NVarChar(255)` : type;
}
