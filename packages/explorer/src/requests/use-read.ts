import { useEffect, useState } from 'react';

/**
 * Reads after the first render, and again when a key changes; the end of the component and another key abort a read.
 * @param read returns undefined to read nothing
 * @param delayMs the time before each read
 * @returns the reason of the last failure, '' for none, and a function that changes it
 */
export function useRead(
  read: (signal: AbortSignal) => Promise<unknown> | undefined,
  keys: readonly unknown[],
  delayMs?: number,
): [failed: string, setFailed: (failed: string) => void] {
  const [failed, setFailed] = useState('');
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const start = () => void read(signal)?.catch(({ message }: Error) => signal.aborted || setFailed(message));
    const timer = delayMs === undefined ? start() : setTimeout(start, delayMs);
    return () => {
      clearTimeout(timer ?? undefined);
      leaving.abort();
    };
  }, keys);
  return [failed, setFailed];
}

/** @returns awaits a change, reports its failure or '', and reads again; its result is null after a failure */
export function changing(setFailed: (reason: string) => void, readAgain: () => void) {
  return async <Result>(work: Promise<Result>): Promise<Result | null> => {
    setFailed('');
    try {
      return await work;
    } catch (reason) {
      setFailed((reason as Error).message);
      return null;
    } finally {
      readAgain();
    }
  };
}
