import { UnreadableError } from '../file-values.js';

/** Conversations shrink to about a tenth of their size; a file that grows more than this is a zip bomb. */
const MAX_GROWTH = 300;
/** Bytes that are always accepted. */
const HARMLESS = 64 * 1024 * 1024;

/** @throws UnreadableError when the unpacked size is too large for conversations */
export function checkUnpacked(what: string, packed: number, unpacked: number, most = MAX_GROWTH): void {
  if (unpacked <= HARMLESS || unpacked <= packed * most) return;
  throw new UnreadableError(
    `${what} unpacks to more than ${most} times its size: that is a zip bomb, not conversations`,
  );
}
