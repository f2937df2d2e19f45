/** The server may not import the transport: this test keeps the limits of both equal. */
import { expect, test } from 'vitest';
import * as limits from '@parley/transport/server-limits';
import { MAX_DATA_BYTES, MAX_MESSAGES_PER_SAVE } from '../../../src/conversation/bounds.js';
import * as drafts from '../../../src/features/drafts/draft.js';

test('clients check the limits of the server', () => {
  expect({ ...limits }).toEqual({
    MAX_MESSAGE_BYTES: MAX_DATA_BYTES,
    MAX_MESSAGES_PER_SAVE,
    MAX_CHUNKS_PER_APPEND: drafts.MAX_CHUNKS_PER_APPEND,
    MAX_BYTES_PER_APPEND: drafts.MAX_BYTES_PER_APPEND,
    MAX_CHUNKS_PER_DRAFT: drafts.MAX_CHUNKS_PER_DRAFT,
    MAX_BYTES_PER_DRAFT: drafts.MAX_DRAFT_BYTES,
  });
});
