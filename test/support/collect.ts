import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees what nothing references, except the targets of WeakRefs that were made in the same turn of the event loop. */
export const collect = runInNewContext('gc') as () => void;
