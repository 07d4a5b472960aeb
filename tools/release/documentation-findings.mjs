import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { filesOf } from '../inputs-hash.mjs';

/** The documentation pages of each node and credential, which n8n opens, and how their links are written. */
const PRIMARY = /"primaryDocumentation": \[\{ "url": "([^"]+)"/;
const CREDENTIAL = /"credentialDocumentation": \[\{ "url": "([^"]+)"/;
const OF_CREDENTIAL = /documentationUrl = '([^']+)'/;
const PAGES = {
  'MediaService.node.json': [
    { link: PRIMARY, page: 'docs/inside-n8n.md' },
    { link: CREDENTIAL, page: 'docs/credentials.md' },
  ],
  'MediaServiceTrigger.node.json': [
    { link: PRIMARY, page: 'docs/trigger.md' },
    { link: CREDENTIAL, page: 'docs/credentials.md' },
  ],
  'MediaServiceApi.credentials.ts': [{ link: OF_CREDENTIAL, page: 'docs/credentials.md#media-service-api' }],
  'MediaServiceWorkerApi.credentials.ts': [
    { link: OF_CREDENTIAL, page: 'docs/credentials.md#media-service-worker-api' },
  ],
};
/** Sentences that are no longer true once a version is published. */
const BEFORE_RELEASE = /before the first release/i;

/**
 * The nodes and credentials whose documentation link leads to a wrong page.
 * @param {string} folder the project's folder
 */
export async function documentationFindings(folder) {
  const files = await Promise.all(['nodes', 'credentials'].map((name) => filesOf(join(folder, name))));
  const findings = files.flat().map(async (file) => {
    const pages = Object.entries(PAGES).find(([name]) => file.endsWith(`/${name}`))?.[1] ?? [];
    const text = await readFile(file, 'utf8');
    return pages.flatMap(({ link, page }) => {
      const [, found = 'missing'] = link.exec(text) ?? [];
      if (found.endsWith(`/${page}`)) return [];
      return [
        `${relative(folder, file)}: the documentation link is ${found}: use ${page} in the repository.`,
      ];
    });
  });
  return [...(await Promise.all(findings)).flat(), ...(await outdatedFindings(folder))];
}

async function outdatedFindings(folder) {
  const guides = (await filesOf(join(folder, 'docs'))).filter((file) => file.endsWith('.md'));
  const texts = [join(folder, 'README.md'), ...guides].map(async (file) => {
    // A project without README has no such sentence.
    const text = await readFile(file, 'utf8').catch(() => '');
    return BEFORE_RELEASE.test(text)
      ? [`${relative(folder, file)}: has a sentence about the time before the first release: remove it.`]
      : [];
  });
  return (await Promise.all(texts)).flat();
}
