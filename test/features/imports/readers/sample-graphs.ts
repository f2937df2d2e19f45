/** The files of test/features/imports/readers/samples, one of each format, and their expected graphs. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const SAMPLES_FOLDER = join(import.meta.dirname, 'samples');

export function sampleNames(): string[] {
  return readdirSync(SAMPLES_FOLDER).sort();
}
