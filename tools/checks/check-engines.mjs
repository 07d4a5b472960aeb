/** Every package that users install with ours must run on the oldest Node version in package.json. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { root } from '../folders.mjs';

const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
const oldest = semver.minVersion(packages[''].engines.node);

const { dependencies, optionalDependencies } = packages[''];
const seen = new Set();
const waiting = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => locate('', name));
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
