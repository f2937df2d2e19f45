import { describe, expect, it, vi } from 'vitest';
import { openFileStorage } from '../../../../src/features/files/open-files.js';
import { parseS3Url } from '../../../../src/features/files/storage/s3-url.js';

describe('s3://', () => {
  it.each([
    ['s3://bucket', { bucket: 'bucket', prefix: '', region: null, endpoint: null, shown: 'bucket' }],
    ['s3://bucket/', { bucket: 'bucket', prefix: '', region: null, endpoint: null, shown: 'bucket' }],
    [
      's3://my.bucket-1/a/b_c.d/?region=eu-central-1',
      { bucket: 'my.bucket-1', prefix: 'a/b_c.d/', region: 'eu-central-1', endpoint: null, shown: 'my.bucket-1' },
    ],
    [
      's3://bucket/a?region=auto&endpoint=https://storage.example:9000/',
      {
        bucket: 'bucket',
        prefix: 'a/',
        region: 'auto',
        endpoint: 'https://storage.example:9000',
        shown: 'bucket at https://storage.example:9000',
      },
    ],
  ])('reads %s', (url, location) => {
    expect(parseS3Url(url)).toEqual(location);
  });

  it.each([
    ['s3:', /^must have a bucket/],
    ['s3://', /^must/],
    ['s3://Bucket', /^must have a bucket/],
    ['s3://ab', /^must have a bucket/],
    ['s3://bucket/a//b', /^must have a prefix/],
    ['s3://bucket/a b', /^must have a prefix/],
    [`s3://bucket/${'a'.repeat(501)}`, /^must have a prefix/],
    ['s3://bucket?regoin=eu-central-1', /^has an unknown parameter regoin: it may have region and endpoint$/],
    ['s3://bucket?region=a&region=b', /^must have the parameter region once$/],
    ['s3://bucket?region=', /^must have a region/],
    ['s3://bucket?region=a/b', /^must have a region/],
    ['s3://bucket?endpoint=localhost:9000', /^must have an http or https URL as endpoint$/],
    ['s3://bucket?endpoint=nothing', /^must have an http or https URL as endpoint$/],
    ['s3://bucket?endpoint=http://me:hunter2@localhost:9000', /^must have an endpoint without user, password/],
    ['s3://me:hunter2@bucket', /^must be like s3:\S+: credentials are read from the environment/],
    ['s3://bucket#a', /^must be like s3:/],
  ])('refuses %s', (url, reason) => {
    const parse = () => parseS3Url(url);
    expect(parse).toThrow(reason);
    expect(parse).not.toThrow(/hunter2/);
  });

  it('needs a region', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
    try {
      await expect(openFileStorage('s3://bucket')).rejects.toThrow(
        'FILES_URL must have a region, such as s3://bucket?region=eu-central-1, or AWS_REGION must be set',
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

it.each(['', 'file:', 'file: ', 'file:///data', 'file:a?b', 'folder', 'https://bucket', 'database'])(
  'refuses FILES_URL=%j',
  async (url) => {
    await expect(openFileStorage(url)).rejects.toThrow(/^FILES_URL must be file: and a folder/);
  },
);

it('names FILES_URL when it has an invalid bucket', async () => {
  await expect(openFileStorage('s3://B')).rejects.toThrow(/^FILES_URL must have a bucket/);
});
