import { UnreadableError } from './unreadable.js';

/** Conversations are packed to a tenth or so of their size; what grows more than this was made to fill a disk. */
const MAX_GROWTH = 300;
/** Bytes below which nobody minds. */
const HARMLESS = 64 * 1024 * 1024;

/** @throws UnreadableError when packed bytes have become so many that they cannot be conversations */
export function checkUnpacked(what: string, packed: number, unpacked: number, most = MAX_GROWTH): void {
  if (unpacked <= HARMLESS || unpacked <= packed * most) return;
  throw new UnreadableError(
    `${what} unpacks to more than ${most} times its size: that is a zip bomb, not conversations`,
  );
}
