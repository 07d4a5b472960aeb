/** Every package that users of the command install with it must run on the oldest Node version that it promises. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { root } from '../folders.mjs';

const read = async (file) => JSON.parse(await readFile(join(root, file), 'utf8'));
const { packages } = await read('package-lock.json');
const { engines, dependencies } = await read('packages/media-service/package.json');
const oldest = semver.minVersion(engines.node);

const seen = new Set();
const waiting = Object.keys(dependencies).map((name) => locate('', name));
while (waiting.length > 0) {
  const path = waiting.pop();
  if (path === undefined || seen.has(path)) continue;
  seen.add(path);
  const entry = packages[path];
  const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
  waiting.push(...names.map((name) => locate(path, name)));
}

const tooNew = [...seen].filter((path) => !semver.satisfies(oldest, packages[path].engines?.node ?? '*'));
for (const path of tooNew) {
  console.error(
    `${path} ${packages[path].version} wants Node ${packages[path].engines.node}, we promise ${oldest}.`,
  );
}
console.log(`engines: ${seen.size} packages looked at, ${tooNew.length} need a newer Node than ${oldest}.`);
if (tooNew.length > 0) process.exitCode = 1;

/**
 * Finds a package as Node does: in the nearest node_modules upwards. Undefined for an optional package that npm left
 * out.
 */
function locate(from, name) {
  for (let base = from; ; base = base.slice(0, Math.max(base.lastIndexOf('/node_modules/'), 0))) {
    const path = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`;
    if (packages[path]) return path;
    if (base === '') return undefined;
  }
}
