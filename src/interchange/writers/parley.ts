/** Parley's own format: the one that loses nothing. */
import { PARLEY, parleyLines } from '../parley/parley-lines.js';
import { incompleteLine, LINES, type Writer } from './writer.js';

export const parley: Writer = {
  ...PARLEY,
  extension: 'jsonl',
  mediaType: 'application/jsonl',
  fileName: 'parley.jsonl',
  losses: ['drafts that are being written'],
  frame: LINES,
  incomplete: incompleteLine,
  write: parleyLines,
};
