/** `npm run release:check`: lists everything that must be done before this version can be published. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { argv } from 'node:process';
import { SECOND, stateOfDist } from './build.mjs';
import { root } from './folders.mjs';
import { changelogFindings } from './release/changelog-findings.mjs';
import { documentationFindings } from './release/documentation-findings.mjs';
import { gitFindings } from './release/git-findings.mjs';
import { licenceFindings, packageFindings } from './release/package-findings.mjs';

const project = resolve(argv[2] ?? root);
const read = (name) => readFile(join(project, name), 'utf8');
const manifest = JSON.parse(await read('package.json'));
const dist = await stateOfDist(project);

const findings = [
  ...packageFindings('package.json', manifest),
  ...packageFindings(`${SECOND}/package.json`, JSON.parse(await read(`${SECOND}/package.json`))),
  // A missing file is reported as one without a holder.
  ...licenceFindings(await read('LICENSE').catch(() => '')),
  ...(await documentationFindings(project)),
  ...changelogFindings(await read('CHANGELOG.md'), manifest.version),
  ...(dist === 'fresh' ? [] : [`dist: is ${dist}: run npm run build.`]),
  ...(await gitFindings(project, manifest.version)),
];
for (const finding of findings) console.log(finding);
console.log(
  findings.length === 0
    ? `release: ${manifest.version} of both packages can be published: push the tag v${manifest.version}.`
    : `release: ${findings.length} thing(s) to do before ${manifest.version} can be published.`,
);
if (findings.length > 0) process.exitCode = 1;
