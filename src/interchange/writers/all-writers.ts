/** Every format that can be written. */
import { parley } from './parley.js';
import type { Writer } from './writer.js';

export const WRITERS: readonly Writer[] = [parley];

export function writerNamed(name: string): Writer | undefined {
  return WRITERS.find((writer) => writer.name === name);
}
