/** The limits of texts and JSON in inputs, as sentences of their descriptions. */
import {
  MAX_DATA_BYTES,
  MAX_JSON_DEPTH,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_NAME_LENGTH,
} from '../conversation/bounds.js';

export const NAME = `1 to ${MAX_NAME_LENGTH} characters.`;
export const TEXT = `At most ${MAX_DATA_BYTES / 1024 ** 2} MiB as JSON.`;
export const DATA = `At most ${MAX_DATA_BYTES / 1024 ** 2} MiB as JSON and ${MAX_JSON_DEPTH} levels deep.`;
export const METADATA = `At most ${MAX_METADATA_BYTES / 1024} KiB as JSON and ${MAX_METADATA_DEPTH} levels deep.`;
