import { describe, expect, it } from 'vitest';
import { checkedAddresses, isPublicAddress, lookupOf } from '../../../src/features/webhooks/public-address.js';

describe('an address', () => {
  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
    ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
    ...['224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
    ...['::7f00:1', '64:ff9b::a00:1', 'fe80::1', 'fe80::1%eth0'],
    ...['fc00::1', 'fd12:3456::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '100::1', 'name'],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe('the host of a webhook', () => {
  const none = () => Promise.reject(new Error('resolved a name'));

  it.each([
    ...['https://127.1/', 'https://0x7f.0.0.1/', 'https://2130706433/', 'https://[::1]/'],
    ...['https://[::ffff:127.0.0.1]/'],
    ...['https://[::ffff:7f00:1]/', 'https://169.254.169.254/latest', 'https://[fe80::1]/'],
  ])('%s is refused without a lookup', async (url) => {
    await expect(checkedAddresses(new URL(url), false, none)).rejects.toThrow('which is not public');
    await expect(checkedAddresses(new URL(url), true, none)).resolves.toHaveLength(1);
  });

  it('is refused when one of its addresses is not public', async () => {
    const addresses = [
      { address: '1.1.1.1', family: 4 },
      { address: '::ffff:10.0.0.1', family: 6 },
    ];
    const resolve = () => Promise.resolve(addresses);
    await expect(checkedAddresses(new URL('https://hooks.example/'), false, resolve)).rejects.toThrow(
      'hooks.example has the address ::ffff:10.0.0.1, which is not public; see allowPrivateAddresses',
    );
  });

  it('is connected to the checked addresses only', () => {
    const addresses = [
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ];
    const results: unknown[] = [];
    const note = (...result: unknown[]) => void results.push(result);
    lookupOf(addresses)('rebound.example', { all: true }, note);
    lookupOf(addresses)('rebound.example', {}, note);
    expect(results).toEqual([
      [null, addresses],
      [null, '1.1.1.1', 4],
    ]);
  });
});
