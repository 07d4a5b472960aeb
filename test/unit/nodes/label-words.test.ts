import { ERROR_CODES } from '../../../api/errors';
import { MediaServiceApi } from '../../../credentials/MediaServiceApi.credentials';
import { MediaServiceWorkerApi } from '../../../credentials/MediaServiceWorkerApi.credentials';
import { MediaService } from '../../../nodes/MediaService/MediaService.node';
import { MediaServiceTrigger } from '../../../nodes/MediaServiceTrigger/MediaServiceTrigger.node';
import { textsOfRoom } from '../../support/product-source';

/** Names of products, and fields of the service or of a manifest that users write themselves. */
const KNOWN = new Set([
  ...['PostgreSQL', 'mTLS'],
  ...['failureReason', 'failureTimestamp', 'fileType', 'isLibrary', 'includeInReport', 'partContentType'],
]);
const CODES = new Set<string>(ERROR_CODES);

/** Words such as `NamedPeriod` and `fileUrl`, without those of expressions and placeholders. */
function codeWordsIn(text: string): string[] {
  if (text.startsWith('e.g. ')) return [];
  const words = text.replace(/\{.*\}/gs, '').match(/\b[A-Za-z]*[a-z][A-Z]\w*/g) ?? [];
  return words.filter((word) => !KNOWN.has(word));
}

test('no label, option, description or hint contains the name of a type or variable', () => {
  const forms = [new MediaService().description, new MediaServiceTrigger().description];
  const credentials = [new MediaServiceApi().properties, new MediaServiceWorkerApi().properties];
  const texts = [...forms, ...credentials].flatMap(shownTexts);
  expect(texts.length).toBeGreaterThan(300);
  expect(texts.filter((text) => codeWordsIn(text).length > 0)).toEqual([]);
});

function shownTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    typeof one === 'string' && isShown(key, one) ? [one] : shownTexts(one),
  );
}

/** A `name` is shown if it is the name of an option, in title case. */
function isShown(key: string, text: string): boolean {
  return (
    ['displayName', 'description', 'hint', 'action'].includes(key) || (key === 'name' && /^[A-Z]/.test(text))
  );
}

test.each(['nodes', 'credentials', 'n8n'])(
  'no message or label in %s contains the name of a type or variable',
  (room) => {
    const isText = (text: string): boolean => (text.includes(' ') || /^[A-Z]/.test(text)) && !CODES.has(text);
    const texts = textsOfRoom(room).filter(({ text }) => isText(text));
    expect(texts.length).toBeGreaterThan(30);
    expect(texts.filter(({ text }) => codeWordsIn(text).length > 0)).toEqual([]);
  },
);
