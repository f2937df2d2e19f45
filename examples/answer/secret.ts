/** Secrets in the environment, and in files, as Docker, Kubernetes and systemd mount them. */
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from './output.js';

const MAX_BYTES = 64 * 1024;

/**
 * The value of a variable, or the content of the file that the variable of the same name with _FILE names, without line breaks at its
 * end. An empty variable counts as unset.
 * @throws Error for both variables, or a file that is empty, unreadable or larger than 64 KiB
 */
export function readSecret(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = environment[name] || undefined;
  const path = environment[`${name}_FILE`];
  if (!path) return value;
  if (value !== undefined) throw new Error(`${name}_FILE cannot be given together with ${name}`);
  try {
    return secretIn(path);
  } catch (error) {
    throw new Error(`${name}_FILE cannot be read: ${messageOf(error)}`);
  }
}

function secretIn(path: string): string {
  const file = openSync(path, 'r');
  try {
    const content = Buffer.alloc(MAX_BYTES + 1);
    // One read: a pipe or a device must not delay the start.
    const length = readSync(file, content);
    const secret = content.toString('utf8', 0, length).replace(/[\r\n]+$/, '');
    if (secret === '') throw new Error('the file is empty');
    if (length > MAX_BYTES) throw new Error(`the file has more than ${MAX_BYTES} bytes`);
    return secret;
  } finally {
    closeSync(file);
  }
}
