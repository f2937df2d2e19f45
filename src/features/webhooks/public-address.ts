/**
 * Resolves the host of a webhook once. Only public addresses are accepted, and the connection is made to the checked
 * addresses, so that a name that later resolves to another address has no effect.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

export interface Address {
  address: string;
  family: number;
}

/** Networks that the special-purpose registries of IANA exclude from the Internet. */
const PRIVATE_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** The parts of 2000::/3 that are reserved, or that contain an IPv4 address: Teredo and 6to4. */
const PRIVATE_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const privateIPv4 = new BlockList();
for (const [network, bits] of PRIVATE_IPV4) privateIPv4.addSubnet(network, bits, 'ipv4');
const privateIPv6 = new BlockList();
for (const [network, bits] of PRIVATE_IPV6) privateIPv6.addSubnet(network, bits, 'ipv6');
/** All other IPv6 addresses are local, mapped (::ffff:0:0/96), translated (64:ff9b::/96) or unassigned. */
const globalIPv6 = new BlockList();
globalIPv6.addSubnet('2000::', 3, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return isIP(address) === 4 && !privateIPv4.check(address, 'ipv4');
  // An address with a zone is local.
  return !address.includes('%') && globalIPv6.check(address, 'ipv6') && !privateIPv6.check(address, 'ipv6');
}

/** Resolves a name to all of its addresses. */
export type Resolve = (name: string) => Promise<Address[]>;
const resolveByDns: Resolve = (name) => lookup(name, { all: true });

/**
 * The addresses to connect to.
 * @throws Error when one of them is not public, unless allowed
 */
export async function checkedAddresses(
  { hostname }: URL,
  arePrivateAllowed: boolean,
  resolve: Resolve = resolveByDns,
): Promise<Address[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(name);
  const addresses = family === 0 ? await resolve(name) : [{ address: name, family }];
  const refused = arePrivateAllowed ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
  if (refused !== undefined) {
    throw new Error(`${name} has the address ${refused.address}, which is not public; see allowPrivateAddresses`);
  }
  return addresses;
}

/** A lookup for a socket that returns these addresses instead of resolving a name. */
export function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(first === undefined ? new Error('no address') : null, first?.address ?? '', first?.family);
  };
}
