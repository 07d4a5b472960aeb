import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { exeSuffix, exists } from '../folders.mjs';
import { isOffline } from './go-tool.mjs';
import { capture } from '../run.mjs';
import { say } from '../say.mjs';

/** A system tool is not available here. The suite that needs it is reported as not run, with this message. */
export class MissingTool extends Error {}

/** Path of a Chromium or Chrome. */
export async function ensureChromium() {
  const find = () => onPath(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']);
  return ensure({ name: 'Chromium', find, aptPackage: 'chromium' });
}

/** Path of redis-server. */
export async function ensureRedis() {
  return ensure({ name: 'Redis', find: () => onPath(['redis-server']), aptPackage: 'redis-server' });
}

/** Path of the folder with PostgreSQL's programs `initdb` and `postgres`. */
export async function ensurePostgres() {
  return ensure({ name: 'PostgreSQL', find: postgresFolder, aptPackage: 'postgresql' });
}

/** Path of promtool, which checks rules and settings of Prometheus, and runs rules on given series. */
export async function ensurePromtool() {
  return ensure({ name: 'promtool', find: () => onPath(['promtool']), aptPackage: 'prometheus' });
}

/** Path of systemd-analyze, which also checks units on a machine without a running systemd. */
export async function ensureSystemdAnalyze() {
  return ensure({ name: 'systemd', find: () => onPath(['systemd-analyze']), aptPackage: 'systemd' });
}

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
