import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType } from 'n8n-workflow';
import { MediaServiceApi } from '../../../credentials/MediaServiceApi.credentials';
import { MediaServiceWorkerApi } from '../../../credentials/MediaServiceWorkerApi.credentials';
import { ROOT } from '../../support/pack';

const page = readFileSync(join(ROOT, 'docs', 'credentials.md'), 'utf8');

test.each<[string, ICredentialType]>([
  ['Media Service API', new MediaServiceApi()],
  ['Media Service Worker API', new MediaServiceWorkerApi()],
])('the page on credentials names every field of %s, and no others', (name, { displayName, properties }) => {
  expect(displayName).toBe(name);
  const [, rest = ''] = page.split(`\n## ${name}\n`);
  const [chapter = ''] = rest.split('\n## ');
  const named = [...chapter.matchAll(/^\| ([A-Z][^|]+?) +\|/gm)]
    .flatMap(([, cell = '']) => cell.split(', '))
    .filter((cell) => cell !== 'Field');
  const shown = properties.filter(({ type }) => type !== 'hidden' && type !== 'notice');
  expect(named.sort()).toEqual(shown.map((property) => property.displayName).sort());
});
