import { tempFolder } from '../../../support/after-test';
import { printedBy } from '../printed-by';

/** Requests a tool with an empty PATH and npm offline, so that nothing is installed. */
async function ensured(name: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
  const folder = await tempFolder('no-tools');
  const code = `
    import { SYSTEM_TOOLS, MissingTool } from './tools/set-up/system-tools.mjs';
    try { console.log(await SYSTEM_TOOLS[${JSON.stringify(name)}]()); }
    catch (error) { console.log(error instanceof MissingTool, error.message); }`;
  return printedBy(code, { PATH: folder, npm_config_offline: 'true', XDG_CACHE_HOME: folder, ...more });
}

test('a missing tool is reported by name, with how to get it, and installed only if that is asked for', async () => {
  const missing = 'true Redis is not on this machine; install it (Debian: apt-get install redis-server)';
  expect(await ensured('redis')).toBe(`${missing}, or set SYSTEM_PACKAGES=install as root.`);
  expect(await ensured('redis', { SYSTEM_PACKAGES: 'install' })).toMatch(
    /redis-server\); (npm is set to offline|only root may do that)\.$/,
  );
});
