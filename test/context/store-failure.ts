import { ContextError, type ContextErrorCode } from '@parley/context';

export interface Failure {
  code: ContextErrorCode;
  message: string;
  path: string | null;
}

/**
 * The error of a failed call.
 * @throws Error if the call succeeded, and any error other than a ContextError
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
