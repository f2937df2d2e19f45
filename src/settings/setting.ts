/** A setting: its environment variable, its default, and its row in docs/operations.md. Published types include this file. */
export interface Setting<Value> {
  variable: string;
  /** In Markdown: the last column of the table. */
  meaning: string;
  byDefault: Value;
  /** The default without authentication. */
  inDevelopment: Value;
  /** The default of the option of createServer, where it is another one. */
  optionDefault?: Value;
  /** The text of the default in the table; by default that of the value. */
  shown?: string;
  /** Whether its value can be the content of a file, which the variable of the same name with _FILE names. */
  isSecret?: boolean;
  /** The zod schema of the variable's text. Published types do not include zod. */
  schema: unknown;
}

export type DeclaredSettings = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<Declared extends DeclaredSettings> = { [Name in keyof Declared]: Declared[Name]['byDefault'] };

export type OptionsOf<Declared extends DeclaredSettings> = {
  [Name in keyof Declared]?: Declared[Name]['byDefault'] | undefined;
};

/** The type with the members of all types of a union; without any, an object. */
export type Joined<Union> = [Union] extends [never]
  ? Record<never, never>
  : (Union extends unknown ? (each: Union) => void : never) extends (all: infer All extends object) => void
    ? All
    : never;

/** @param isDevelopment whether clients are not authenticated */
export function defaultsOf<Declared extends DeclaredSettings>(
  settings: Declared,
  isDevelopment = false,
): ValuesOf<Declared> {
  const defaults = Object.entries(settings).map(([name, { byDefault, inDevelopment }]) => [
    name,
    isDevelopment ? inDevelopment : byDefault,
  ]);
  return Object.fromEntries(defaults) as ValuesOf<Declared>;
}

/** The defaults of the options of createServer. */
export function optionDefaultsOf<Declared extends DeclaredSettings>(settings: Declared): ValuesOf<Declared> {
  const others = Object.entries(settings).flatMap(([name, { optionDefault }]) =>
    optionDefault === undefined ? [] : [[name, optionDefault] as const],
  );
  return { ...defaultsOf(settings), ...(Object.fromEntries(others) as Partial<ValuesOf<Declared>>) };
}
