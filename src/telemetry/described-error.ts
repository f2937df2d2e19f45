/**
 * What is logged of an error: where it came from, and of which kind it is. Drivers and parsers repeat in their messages
 * what they were given, which may be what somebody has written; so of theirs only codes and names are kept, and in all
 * others nothing that stands in quotes, or before the host of a URL.
 */

export interface DescribedError {
  type: string;
  message?: string;
  /** Codes, and names of tables and the like: never values. */
  details?: Record<string, string>;
  /** The field of the schema that failed. */
  field?: string;
  stack?: string[];
  cause?: DescribedError;
}

/** How far to follow causes: one may be its own. */
const MAX_CAUSES = 8;

/** Of errors whose messages are made by programs, and not of what the program was given. */
const WITH_MESSAGE =
  /^(Error|TypeError|RangeError|ReferenceError|AggregateError|DatabaseUnavailableError|DeletedError)$/;

/** Of drivers' errors. */
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
    const value = (error as unknown as Record<string, unknown>)[name];
    // Codes and names are short, and in one word.
    const isName = (typeof value === 'string' || typeof value === 'number') && /^[\w.:-]{1,100}$/.test(String(value));
    return isName ? [[name, String(value)] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Of a GraphQL error; not its path, which has the client's aliases in it. */
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
  // Of what is very long the patterns below would take very long.
  const [line = ''] = message.slice(0, 2_000).split('\n');
  return line
    .replace(/"(?:[^"\\]|\\.)*"?/g, '"…"')
    .replace(/`[^`]*`?/g, '`…`')
    .replace(/(^|\s|\()'[^']*'?/g, "$1'…'")
    .replace(/\/\/\S*@/g, '//…@')
    .slice(0, 300);
}

/**
 * The stack without the message that it begins with, which may have lines that look like its own. Undefined when it begins
 * with another, so that nobody knows where that ends.
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
