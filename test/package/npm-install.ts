/** Installs packages with npm: from its registry, or from its cache where the registry cannot be reached. */
import { run } from './run.js';

export interface NpmInstall {
  /** The output of npm about the installation. */
  stderr: string;
  /** The reason why this machine cannot install the packages. */
  missing?: string;
}

/**
 * Runs a command that installs packages into a project.
 * @throws Error with npm's output when the installation fails for a reason that is not the machine's
 */
export async function npmInstall(
  [program, ...args]: [string, ...string[]],
  project: string,
  env: Record<string, string> = {},
): Promise<NpmInstall> {
  const isReachable = (await run('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000'], project)).code === 0;
  const settings = {
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    [isReachable ? 'npm_config_prefer_offline' : 'npm_config_offline']: 'true',
  };
  const { code, stderr } = await run(program, args, project, { ...settings, ...env });
  if (code === 0) return { stderr };
  if (isReachable || !stderr.includes('ENOTCACHED')) throw new Error(stderr);
  return { stderr, missing: "npm's registry cannot be reached, and its cache does not have all packages" };
}
