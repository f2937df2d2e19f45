import { createRequire } from 'node:module';

/**
 * Loads a module whose packages an installation may lack: optional peers, and those that npm omits with `--omit=optional`.
 * @param user the feature that needs them, such as SQL Server
 * @param packages all packages of the feature; by default, the missing one
 * @throws Error with the command that installs the packages
 */
export async function loadOptional<Module>(
  user: string,
  load: () => Promise<Module>,
  packages?: readonly string[],
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [, name = ''] = /^Cannot find package '(.+?)'/.exec(message) ?? [];
    const versions = optionalVersions();
    if (code !== 'ERR_MODULE_NOT_FOUND' || versions[name] === undefined) throw error;
    const missing = (packages ?? [name]).map((each) => `${each}@${versions[each]}`).join(' ');
    throw new Error(`${user} needs a package that is not installed: npm install ${missing}`);
  }
}

function optionalVersions(): Record<string, string> {
  const manifest = createRequire(import.meta.url)('../../package.json') as Record<string, Record<string, string>>;
  return { ...manifest['optionalDependencies'], ...manifest['peerDependencies'] };
}
