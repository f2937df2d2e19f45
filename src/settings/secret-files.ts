/** Secrets in files, as Docker, Kubernetes and systemd mount them. */
import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../system/message-of.js';

const MAX_BYTES = 64 * 1024;

/**
 * Replaces each file by its content, without line breaks at its end. An empty variable counts as unset, as shells and
 * compose files write it.
 * @param secrets variables that can be the content of a file, which the variable of the same name with _FILE names
 * @returns the set variables, and the mistakes, one per line
 */
export function withSecretFiles(
  environment: NodeJS.ProcessEnv,
  secrets: readonly string[],
): {
  values: Record<string, string>;
  mistakes: string[];
} {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value) values[name] = value;
  const mistakes: string[] = [];
  for (const name of secrets) {
    const path = values[`${name}_FILE`];
    if (path === undefined) continue;
    if (values[name] !== undefined) mistakes.push(`${name}_FILE cannot be given together with ${name}`);
    try {
      values[name] = secretIn(path);
    } catch (error) {
      mistakes.push(`${name}_FILE cannot be read: ${messageOf(error)}`);
    }
  }
  return { values, mistakes };
}

function secretIn(path: string): string {
  const file = openSync(path, 'r');
  try {
    const content = Buffer.alloc(MAX_BYTES + 1);
    // One read: a secret is smaller, and a pipe or a device must not make the start wait for more.
    const secret = content.toString('utf8', 0, readSync(file, content)).replace(/[\r\n]+$/, '');
    if (secret === '') throw new Error('the file is empty');
    if (secret.length > MAX_BYTES) throw new Error(`the file has more than ${MAX_BYTES} bytes`);
    return secret;
  } finally {
    closeSync(file);
  }
}
