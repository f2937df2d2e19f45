/**
 * Checks statements without a SQL Server, which cannot run on test machines: with the T-SQL grammar of the ANTLR
 * project, as built by antlr4ts-sql, the only parser on npm that rejects other dialects; and with rules for errors that
 * no grammar finds, and for features newer than SQL Server 2016.
 */
import { antlr4tsSQL, SQLDialect } from 'antlr4ts-sql';

/** The errors in a batch, and in the batches that it passes to EXEC. */
export function tSqlFaults(text: string): string[] {
  const executed = Array.from(text.matchAll(/\bEXEC\s*\(N'((?:[^']|'')*)'\)/g), ([, batch = '']) => batch);
  const plain = withoutNames(text);
  return [
    ...(FULL_TEXT_INDEX.test(text) ? [] : syntaxFaults(text)),
    ...FORBIDDEN.flatMap(([pattern, fault]) => (pattern.test(plain) ? [fault] : [])),
    ...groupsOf(plain).flatMap((group) => [
      ...callFaults(group),
      ...subqueryFaults(group),
      ...walkFaults(group, plain),
    ]),
    ...executed.flatMap((batch) => tSqlFaults(batch.replaceAll("''", "'"))),
  ];
}

/** The only statement that the grammar lacks, as documented by Microsoft. */
const FULL_TEXT_INDEX =
  /^CREATE FULLTEXT INDEX ON \[\w+\]\.\[\w+\] \(\[\w+\] LANGUAGE \d+\) KEY INDEX \[\w+\] ON \[\w+\]\s+WITH \(CHANGE_TRACKING = AUTO, STOPLIST = OFF\)$/;

function syntaxFaults(text: string): string[] {
  const faults: string[] = [];
  const listener = {
    syntaxError: (_recognizer: unknown, _symbol: unknown, line: number, column: number) => {
      faults.push(`does not parse at: ${text.split('\n')[line - 1]?.slice(column, column + 60)}`);
    },
  };
  const tSql = new antlr4tsSQL(SQLDialect.TSQL);
  tSql.getParseTree(tSql.getParser(tSql.getTokens(text, [listener]), [listener]));
  return faults;
}

/** A text in which only keywords look like keywords. */
function withoutNames(text: string): string {
  return text.replace(/--.*|N?'(?:[^']|'')*'|\[[^\]]*\]|"[^"]*"/g, (piece) =>
    piece.startsWith('--') ? '' : piece.endsWith("'") ? "''" : '""',
  );
}

const FORBIDDEN: readonly [RegExp, string][] = [
  [/\|\|/, '|| came in 2025: text is put together by +'],
  [/\b(TRUE|FALSE)\b/i, 'there are no boolean literals: this is a column'],
  [/::/, 'types are changed by CAST: this is a method'],
  [/\$\d/, 'this is an amount of money and no parameter'],
  [/\bDISTINCT FROM\b/i, 'IS DISTINCT FROM came in 2022'],
  [/\bWAITFOR\b/i, 'nothing waits for a time'],
  [/@\w+\s+(AS\s+)?TABLE\b/i, 'a table variable has the collation of the database, and cannot be joined with ids'],
  [/\bPRECISION\b/i, 'a reserved word, which the grammar takes for a name'],
];

/** The used functions of SQL Server 2016, with their numbers of arguments. */
const FUNCTIONS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  CAST: [1, 1],
  CHARINDEX: [2, 3],
  COALESCE: [2, 254],
  CONCAT: [2, 254],
  CONTAINSTABLE: [3, 5],
  CONVERT: [2, 3],
  COUNT: [1, 1],
  DATALENGTH: [1, 1],
  DB_NAME: [0, 1],
  ISJSON: [1, 1],
  ISNULL: [2, 2],
  JSON_VALUE: [2, 2],
  LAG: [1, 3],
  LEN: [1, 1],
  LOWER: [1, 1],
  MAX: [1, 1],
  MIN: [1, 1],
  NULLIF: [2, 2],
  OBJECTPROPERTY: [2, 2],
  OBJECTPROPERTYEX: [2, 2],
  OBJECT_ID: [1, 2],
  OPENJSON: [1, 2],
  REPLACE: [3, 3],
  ROW_NUMBER: [0, 0],
  SCHEMA_ID: [0, 1],
  SERVERPROPERTY: [1, 1],
  SUBSTRING: [3, 3],
  SUM: [1, 1],
};
/** Other words that can precede a parenthesis. */
const NO_FUNCTION =
  /^(AND|APPLY|AS|BINARY|CHECK|CLUSTERED|ELSE|EXEC|EXISTS|FROM|IDENTITY|IN|JOIN|KEY|NONCLUSTERED|NOT|NVARCHAR|OPTION|OR|OVER|SELECT|THEN|TOP|VALUES|VARCHAR|WHEN|WHERE|WITH)$/;

/** The text in a pair of parentheses, and the text before it. */
interface Group {
  before: string;
  inside: string;
  after: string;
}

function groupsOf(text: string): Group[] {
  const open: number[] = [];
  return Array.from(text.matchAll(/[()]/g)).flatMap(({ 0: parenthesis, index }) => {
    if (parenthesis === '(') open.push(index);
    const start = parenthesis === ')' ? open.pop() : undefined;
    if (start === undefined) return [];
    return [{ before: text.slice(0, start), inside: text.slice(start + 1, index), after: text.slice(index + 1) }];
  });
}

/** A text without its parentheses and their content. */
function flat(text: string): string {
  const flatter = text.replace(/\([^()]*\)/g, '');
  return flatter === text ? text : flat(flatter);
}

function callFaults({ before, inside, after }: Group): string[] {
  const name = /(\w+)\s*$/.exec(before)?.[1]?.toUpperCase();
  const areColumnsOfQuery = /(\bWITH|\),)\s+\w+$/.test(before) && /^ AS \(/.test(after);
  if (name === undefined || NO_FUNCTION.test(name) || areColumnsOfQuery) return [];
  const count = inside.trim() === '' ? 0 : flat(inside).split(',').length;
  const bounds = FUNCTIONS[name];
  if (bounds === undefined) return [`${name} is not known to be a function of SQL Server 2016`];
  return count < bounds[0] || count > bounds[1] ? [`${name} does not take ${count} arguments`] : [];
}

function subqueryFaults({ before, inside, after }: Group): string[] {
  const query = flat(inside);
  if (!/^\s*SELECT\b/.test(query)) return [];
  const isOrdered = /\bORDER BY\b/.test(query) && !/\b(TOP|OFFSET)\b/.test(query);
  const isUnnamed = /\b(FROM|JOIN|APPLY)\s*$/.test(before) && !/^\s*(AS )?[a-z]/.test(after);
  return [
    ...(isOrdered ? ['a subquery has an order and neither TOP nor OFFSET'] : []),
    ...(isUnnamed ? ['a derived table has no name, in small letters'] : []),
  ];
}

/** Clauses that a recursive member must not contain. */
const NOT_IN_A_WALK = /\b(DISTINCT|TOP|GROUP BY|HAVING|LEFT|RIGHT|FULL|OUTER|COUNT|MAX|MIN|SUM)\b/;

function walkFaults({ before, inside }: Group, statement: string): string[] {
  const name = /\b(\w+)(?:\([^()]*\))? AS\s*$/.exec(before)?.[1];
  if (name === undefined || !/^\s*SELECT\b/.test(inside)) return [];
  const references = (part: string) => part.match(new RegExp(`\\b(FROM|JOIN)\\s+${name}\\b`, 'g'))?.length ?? 0;
  const [anchor = '', ...steps] = inside.split(/\bUNION ALL\b/);
  if (references(inside) === 0) return [];
  return [
    ...(references(anchor) > 0 ? [`${name} begins with itself, or is not joined by UNION ALL`] : []),
    ...(steps.some((step) => references(step) !== 1) ? [`${name} refers to itself more than once, or not at all`] : []),
    ...(steps.some((step) => NOT_IN_A_WALK.test(step))
      ? [`${name} has a clause that its recursive member must not contain`]
      : []),
    ...(/\bOPTION \(MAXRECURSION 0\);?\s*$/.test(statement) ? [] : [`${name} ends after 100 steps`]),
  ];
}

/** SQL Server allows 2,100, of which the call that runs a statement uses two. */
const MAX_PARAMETERS = 2098;
/** The longest text that is not NVARCHAR(MAX). */
const MAX_TEXT = 4000;

/** The errors in the parameters of a statement, by name. */
export function parameterFaults(text: string, values: Readonly<Record<string, unknown>>): string[] {
  const plain = withoutNames(text);
  const own = Array.from(plain.matchAll(/\bDECLARE @(\w+)/g), ([, name]) => name);
  // @@ starts a server variable, and a name before = is an argument of a procedure.
  const asked = Array.from(plain.matchAll(/(?<!@)@(\w+)\b(?!\s*=)/g), ([, name = '']) => name);
  const missing = asked.filter((name) => !own.includes(name) && !(name in values));
  const unused = Object.keys(values).filter((name) => !asked.includes(name));
  const odd = Object.entries(values).filter(
    ([, value]) =>
      !(value === null || typeof value === 'string' || Number.isSafeInteger(value) || value instanceof Date),
  );
  const patterns = plain.matchAll(/(?:\bLIKE |\bCONTAINSTABLE\([^()]*, )@(\w+)/g);
  const long = Array.from(patterns, ([, name = '']) => name).filter((name) => String(values[name]).length > MAX_TEXT);
  return [
    ...missing.map((name) => `@${name} has no value`),
    ...unused.map((name) => `@${name} is not used`),
    ...odd.map(([name]) => `@${name} is neither text nor a whole number`),
    ...long.map((name) => `@${name} is longer than a pattern may be`),
    ...(Object.keys(values).length > MAX_PARAMETERS ? ['too many parameters'] : []),
  ];
}

/** The columns of each table. */
export type Schema = ReadonlyMap<string, ReadonlySet<string>>;

export function schemaOf(migrations: string): Schema {
  const tables = migrations.matchAll(/CREATE TABLE \[\w+\]\.\[(\w+)\] \(([^;]*)\);/g);
  const schema = new Map(
    Array.from(tables, ([, table = '', body = '']) => [
      table,
      new Set(Array.from(body.matchAll(/^\s*\[(\w+)\]/gm), ([, column = '']) => column)),
    ]),
  );
  const added = migrations.matchAll(/ALTER TABLE \[\w+\]\.\[(\w+)\] ADD \[(\w+)\]/g);
  for (const [, table = '', column = ''] of added) schema.get(table)?.add(column);
  return schema;
}

/** Columns that their tables do not have; an alias may refer to several tables. */
export function columnFaults(text: string, schema: Schema): string[] {
  const tables = new Map<string, string[]>();
  for (const [, table = '', alias = ''] of text.matchAll(/\b(?:FROM|JOIN) \[\w+\]\.\[(\w+)\] ([a-z]\w*)/g)) {
    tables.set(alias, [...(tables.get(alias) ?? []), table]);
  }
  const faults = Array.from(text.matchAll(/\b([a-z]\w*)\.\[(\w+)\]/g)).flatMap(([name, alias = '', column = '']) => {
    const own = tables.get(alias);
    return own === undefined || own.some((table) => schema.get(table)?.has(column)) ? [] : [`there is no ${name}`];
  });
  return [...faults, ...quotedFaults(text, schema)];
}

/** Quoted columns have no alias: they must belong to a table of the statement, or be defined in it. */
function quotedFaults(text: string, schema: Schema): string[] {
  const plain = text.replace(/N?'(?:[^']|'')*'/g, "''");
  const all = (pattern: RegExp) => Array.from(plain.matchAll(pattern), ([, name = '']) => name);
  const tables = all(/\[\w+\]\.\[(\w+)\]/g);
  const known = new Set([...tables.flatMap((table) => [...(schema.get(table) ?? [])]), ...all(/\bAS "(\w+)"/g)]);
  if (tables.length === 0) return [];
  return all(/"(\w+)"/g).flatMap((name) => (known.has(name) ? [] : [`there is no ${name}`]));
}
