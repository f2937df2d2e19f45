import type { Operation } from '@parley/client';
import { useParley } from '@parley/client/react';
import { useState } from 'react';
import { useRead } from './use-read.js';

/**
 * Reads the result of an operation, for parts of a page that work without it.
 * @param variables null to read nothing
 * @param version changes when it must be read again
 * @param of names the variables whose earlier result is shown until the next one was read; by default, all of them
 * @returns null until it was read
 */
export function useAnswer<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables | null,
  { version, delayMs, of = JSON.stringify(variables) }: { version?: unknown; delayMs?: number; of?: string } = {},
): Result | null {
  const parley = useParley();
  const [answer, setAnswer] = useState<{ of: string; result: Result } | null>(null);
  useRead(
    (signal) => {
      if (variables === null) return undefined;
      return parley.run(operation, variables, signal).then((result) => setAnswer({ of, result }));
    },
    [parley, JSON.stringify(variables), version],
    delayMs,
  );
  return answer?.of === of ? answer.result : null;
}
