/** S3 as a storage of files. */
import { randomUUID } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, vi } from 'vitest';
import { openFileStorage } from '../../../../src/features/files/open-files.js';
import { noSwift, startSwift, type SwiftServer } from '../../../support/server/swift.js';
import { testStorage } from './any-storage.js';

describe(`S3${noSwift}`, () => {
  let swift: SwiftServer;
  beforeAll(async () => {
    if (noSwift !== '') return;
    swift = await startSwift();
    vi.stubEnv('AWS_ACCESS_KEY_ID', swift.accessKey);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.secret);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    if (noSwift === '') await swift.close();
  });
  beforeEach(({ skip }) => {
    skip(noSwift !== '', noSwift);
  });

  testStorage(async () => {
    const { endpoint, region, bucket } = swift;
    const prefix = randomUUID();
    const client = new S3Client({ endpoint, region, forcePathStyle: true });
    const query = new URLSearchParams({ endpoint, region }).toString();
    return {
      storage: await openFileStorage(`s3://${bucket}/${prefix}?${query}`),
      async shorten(key, content) {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}/${key}`, Body: content }));
      },
    };
  });
});
