import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { exeSuffix, exists } from '../folders.mjs';
import { capture } from '../run.mjs';
import { say } from '../say.mjs';
import { isOffline } from './cached.mjs';

/** A system tool is not available here. The suite that needs it is reported as not run, with this message. */
export class MissingTool extends Error {}

const systemTool = (name, aptPackage, find) => () => ensure({ name, aptPackage, find });

/** Programs of the system, by name. `postgres` is the folder with `initdb` and `postgres`. */
export const SYSTEM_TOOLS = {
  chromium: systemTool('Chromium', 'chromium', () =>
    onPath(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']),
  ),
  redis: systemTool('Redis', 'redis-server', () => onPath(['redis-server'])),
  postgres: systemTool('PostgreSQL', 'postgresql', postgresFolder),
  promtool: systemTool('promtool', 'prometheus', () => onPath(['promtool'])),
  // Also checks units on a machine without a running systemd.
  'systemd-analyze': systemTool('systemd', 'systemd', () => onPath(['systemd-analyze'])),
};

async function ensure({ name, find, aptPackage }) {
  const found = await find();
  if (found !== undefined) return found;
  // apt-get runs once at a time.
  const installed = installing.then(async () => {
    if ((await find()) === undefined) await install(name, aptPackage);
    return find();
  });
  // Whoever waits for this one gets its error; the next one only waits.
  installing = installed.catch(() => undefined);
  if ((await installed) === undefined)
    throw new MissingTool(`apt-get installed ${aptPackage}, but no ${name} is found.`);
  return installed;
}

let installing = Promise.resolve();

async function install(name, aptPackage) {
  const byHand = `${name} is not on this machine; install it (Debian: apt-get install ${aptPackage})`;
  if (process.env.SYSTEM_PACKAGES !== 'install')
    throw new MissingTool(`${byHand}, or set SYSTEM_PACKAGES=install as root.`);
  if (process.getuid?.() !== 0) throw new MissingTool(`${byHand}; only root may do that.`);
  if (isOffline()) throw new MissingTool(`${byHand}; npm is set to offline.`);
  say(`installing ${name} with apt-get.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await capture('apt-get', ['update', '-qq'], { env });
  const { code, stderr } = await capture(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', aptPackage],
    { env },
  );
  if (code !== 0) throw new MissingTool(`${byHand}; apt-get says: ${stderr.trim()}`);
}

async function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return firstThatExists(names.flatMap((name) => folders.map((folder) => join(folder, name + exeSuffix))));
}

/** Debian does not put them in PATH. Each major version has a folder. */
async function postgresFolder() {
  const initdb = await onPath([`initdb`]);
  if (initdb !== undefined) return join(initdb, '..');
  const base = '/usr/lib/postgresql';
  const versions = await readdir(base).catch(() => []);
  const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
  const found = await firstThatExists(newestFirst.map((version) => join(base, version, 'bin', 'initdb')));
  return found === undefined ? undefined : join(found, '..');
}

async function firstThatExists(paths) {
  for (const path of paths) if (await exists(path)) return path;
  return undefined;
}
