import { ContextError, type ContextErrorCode } from '@parley/context';

export interface Failure {
  code: ContextErrorCode;
  message: string;
  path: string | null;
}

/**
 * How a call failed.
 * @throws Error when it did not, and whatever else than a ContextError it failed with
 */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ContextError)) throw error;
    const { code, message, path } = error;
    return { code, message, path };
  }
  throw new Error('It did not fail');
}

export function notFound(what: string): Failure {
  return { code: 'NOT_FOUND', message: `${what} not found`, path: null };
}
