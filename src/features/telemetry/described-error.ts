/**
 * The loggable part of an error: its kind and its origin. Messages of drivers and parsers may repeat input, so only
 * codes and names are kept of them, and in other messages nothing in quotes or before the host of a URL.
 */

export interface DescribedError {
  type: string;
  message?: string;
  /** Codes, and names of tables and columns: never values. */
  details?: Record<string, string>;
  /** The field of the schema that failed. */
  field?: string;
  stack?: string[];
  cause?: DescribedError;
}

/** Maximum number of causes: an error may be its own cause. */
const MAX_CAUSES = 8;

/** Errors whose messages do not contain input. */
const WITH_MESSAGE =
  /^(Error|TypeError|RangeError|ReferenceError|AggregateError|DatabaseUnavailableError|DeletedError)$/;

/** Properties of drivers' errors. */
const DETAILS = ['code', 'number', 'errno', 'syscall', 'severity', 'schema', 'table', 'column', 'constraint'];

export function describedError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const type = error.constructor.name || error.name;
  const details = detailsOf(error);
  const field = fieldOf(error);
  const cause = causeOf(error);
  const stack = framesOf(error);
  return {
    type,
    ...(WITH_MESSAGE.test(type) && { message: withoutQuotes(error.message) }),
    ...(details && { details }),
    ...(field !== undefined && { field }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: describedError(cause, depth + 1) }),
  };
}

function detailsOf(error: Error): Record<string, string> | undefined {
  const found = DETAILS.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    // Codes and names are short, and one word.
    const isName = (typeof value === 'string' || typeof value === 'number') && /^[\w.:-]{1,100}$/.test(String(value));
    return isName ? [[name, String(value)] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The field of a GraphQL error; not its path, which contains the client's aliases. */
function fieldOf(error: object): string | undefined {
  const { nodes } = error as { nodes?: unknown };
  const [node] = (Array.isArray(nodes) ? nodes : []) as { name?: { value?: unknown } }[];
  const name = node?.name?.value;
  return typeof name === 'string' ? name : undefined;
}

function causeOf(error: Error): unknown {
  const { originalError, errors } = error as { originalError?: unknown; errors?: unknown };
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : [];
  return originalError ?? error.cause ?? first;
}

function withoutQuotes(message: string): string {
  // The patterns below are slow on very long messages.
  const [line = ''] = message.slice(0, 2_000).split('\n');
  return line
    .replace(/"(?:[^"\\]|\\.)*"?/g, '"…"')
    .replace(/`[^`]*`?/g, '`…`')
    .replace(/(^|\s|\()'[^']*'?/g, "$1'…'")
    .replace(/\/\/\S*@/g, '//…@')
    .slice(0, 300);
}

/**
 * The stack without its leading message, whose lines may look like frames. Undefined when it begins with another
 * message, whose end is unknown.
 */
function framesOf({ message, stack = '' }: Error): string[] | undefined {
  const [name = ''] = /^[\w.$]*( \[\w+\])?/.exec(stack) ?? [];
  const heads = message === '' ? [name, `${name}: `] : [`${name}: ${message}`];
  const head = heads.find((front) => stack.startsWith(`${front}\n    at `));
  if (head === undefined) return undefined;
  return stack
    .slice(head.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^at .*(:\d+:\d+\)?|<anonymous>\)?|native\)?)$/.test(line));
}
