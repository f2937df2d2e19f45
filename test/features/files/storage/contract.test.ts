/** A folder as a storage of files. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { openFileStorage } from '../../../../src/features/files/open-files.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { testStorage } from './any-storage.js';

describe('a folder', () => {
  testStorage(async () => {
    const folder = temporaryFolder();
    return {
      storage: await openFileStorage(`file:${folder}`),
      async shorten(key, content) {
        truncateSync(join(folder, key), content.length);
        return Promise.resolve();
      },
    };
  });
});
