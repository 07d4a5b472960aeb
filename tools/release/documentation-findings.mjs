import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { filesOf } from '../inputs-hash.mjs';

/** The documentation page of each node and credential, which n8n opens. */
const PAGES = {
  'MediaService.node.json': 'docs/inside-n8n.md',
  'MediaServiceTrigger.node.json': 'docs/trigger.md',
  'MediaServiceApi.credentials.ts': 'docs/credentials.md#media-service-api',
  'TemporalApi.credentials.ts': 'docs/credentials.md#temporal-api',
};
const LINK = /(?:"url": |documentationUrl = )["'](https:[^"']+)["']/;

/**
 * The nodes and credentials whose documentation link leads to a wrong page.
 * @param {string} folder the project's folder
 */
export async function documentationFindings(folder) {
  const files = await Promise.all(['nodes', 'credentials'].map((name) => filesOf(join(folder, name))));
  const findings = files.flat().map(async (file) => {
    const page = Object.entries(PAGES).find(([name]) => file.endsWith(`/${name}`))?.[1];
    if (page === undefined) return [];
    const [, link = 'missing'] = LINK.exec(await readFile(file, 'utf8')) ?? [];
    if (link.endsWith(`/${page}`)) return [];
    return [`${relative(folder, file)}: the documentation link is ${link}: use ${page} in the repository.`];
  });
  return (await Promise.all(findings)).flat();
}
