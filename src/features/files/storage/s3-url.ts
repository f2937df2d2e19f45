/** Parses `s3://bucket/prefix?region=…&endpoint=…`. */

export interface S3Location {
  bucket: string;
  /** Empty, or with a slash at its end. */
  prefix: string;
  /** Null for the one of the environment, such as AWS_REGION. */
  region: string | null;
  /** The URL of a server with the API of S3; null for Amazon S3. */
  endpoint: string | null;
  /** For messages. */
  shown: string;
}

const FORM = 's3://bucket/prefix?region=eu-central-1';
const PARAMETERS = ['region', 'endpoint'];

/** @throws Error with the reason, without secrets */
export function parseS3Url(given: string): S3Location {
  if (!URL.canParse(given)) throw new Error(`must be like ${FORM}`);
  const url = new URL(given);
  if (`${url.username}${url.password}${url.port}${url.hash}` !== '') {
    throw new Error(`must be like ${FORM}: credentials are read from the environment, such as AWS_ACCESS_KEY_ID`);
  }
  const bucket = url.host;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new Error(`must have a bucket of 3 to 63 lower-case letters, digits, dots and hyphens: ${FORM}`);
  }
  const names = [...url.searchParams.keys()];
  const unknown = names.find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw new Error(`has an unknown parameter ${unknown}: it may have region and endpoint`);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`must have the parameter ${repeated} once`);
  const prefix = checkPrefix(url.pathname.replace(/^\/|\/$/g, ''));
  const region = url.searchParams.get('region');
  if (region !== null && !/^[a-z0-9-]{1,40}$/i.test(region)) throw new Error('must have a region such as eu-central-1');
  const endpoint = checkEndpoint(url.searchParams.get('endpoint'));
  return { bucket, prefix, region, endpoint, shown: endpoint === null ? bucket : `${bucket} at ${endpoint}` };
}

function checkPrefix(prefix: string): string {
  if (prefix === '') return '';
  if (prefix.length > 500 || !/^[\w.-]+(\/[\w.-]+)*$/.test(prefix)) {
    throw new Error('must have a prefix of letters, digits, dots, hyphens and underscores between single slashes');
  }
  return `${prefix}/`;
}

function checkEndpoint(given: string | null): string | null {
  if (given === null) return null;
  const { protocol, username, password, search, hash, href } = URL.canParse(given)
    ? new URL(given)
    : ({} as Partial<URL>);
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error('must have an http or https URL as endpoint');
  if (`${username}${password}${search}${hash}` !== '') {
    throw new Error('must have an endpoint without user, password, parameters and fragment');
  }
  return href?.replace(/\/$/, '') ?? null;
}
