import { createRequire } from 'node:module';

/**
 * Loads a module whose packages an installation may lack: npm leaves them out with `--omit=optional`.
 * @param user what needs them, such as SQL Server
 * @throws Error that says which package is to be installed
 */
export async function loadOptional<Module>(user: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [, name = ''] = /^Cannot find package '(.+?)'/.exec(message) ?? [];
    const version = optionalDependencies()[name];
    if (code !== 'ERR_MODULE_NOT_FOUND' || version === undefined) throw error;
    throw new Error(`${user} needs a package that is not installed: npm install ${name}@${version}`);
  }
}

function optionalDependencies(): Record<string, string> {
  const manifest = createRequire(import.meta.url)('../package.json') as {
    optionalDependencies: Record<string, string>;
  };
  return manifest.optionalDependencies;
}
