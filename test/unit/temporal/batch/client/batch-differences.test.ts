import { batchDifferences, batchInput } from '../../../../../temporal/batch/client/batch-input';
import type { StartBatch } from '../../../../../temporal/batch/client/batch-input';
import type { BatchInput } from '../../../../../temporal/batch/types';
import { account } from '../../worker/example-deps';

const START: StartBatch = {
  account,
  batchId: 'films',
  manifest: { source: { kind: 'path', path: '/m/harbour.csv', host: 'h' }, format: 'csv' },
  manifestDigest: 'aa',
  folder: { kind: 's3', bucket: 'b', key: 'batches/1' },
  options: { parallelUploads: 8, pageRows: 100 },
};
/** As Temporal has it. */
const inputOf = (change: object = {}): BatchInput =>
  JSON.parse(JSON.stringify(batchInput({ ...START, ...change }))) as BatchInput;
const httpManifest = (url: string): StartBatch['manifest'] => ({
  source: { kind: 'http', url, label: '' },
  format: 'csv',
});
const rowsOf = (source: string): object => ({ manifest: { rows: [{ source, id: 'a' }] } });

describe('batchDifferences', () => {
  it.each<[label: string, change: object, differing: string[]]>([
    ['nothing', {}, []],
    ['options in another order', { options: { pageRows: 100, parallelUploads: 8 } }, []],
    ['another option', { options: { parallelUploads: 9, pageRows: 100 } }, ['options']],
    ['another folder', { folder: { kind: 's3', bucket: 'b', key: 'batches/2' } }, ['folder']],
    ['another text', { manifestDigest: 'bb' }, ['manifest']],
    ['the same text elsewhere', { manifest: httpManifest('https://h/m.csv') }, []],
    ['the same location whose text is not known', { manifestDigest: undefined }, []],
    [
      'another format whose text is not known',
      { manifest: { ...START.manifest, format: 'jsonl' }, manifestDigest: undefined },
      ['manifest'],
    ],
    [
      'another location whose text is not known',
      { manifest: httpManifest('https://h/m.csv'), manifestDigest: undefined },
      ['manifest'],
    ],
    ['rows', rowsOf('/films/a.mp4'), ['manifest']],
    [
      'all of it',
      { manifestDigest: 'cc', options: {}, folder: { kind: 'path', path: '/o' } },
      ['manifest', 'folder', 'options'],
    ],
  ])('names the difference for %s', (_label, change, differing) => {
    expect(batchDifferences(inputOf(change), inputOf())).toEqual(differing);
    expect(batchDifferences(inputOf(), inputOf(change))).toEqual(differing);
  });

  const addressOf = (url: string) => ({ manifestDigest: undefined, manifest: httpManifest(url) });

  it.each<[label: string, one: object, other: object, isSame: boolean]>([
    ['queries of its address', addressOf('https://h/m.csv?sig=1'), addressOf('https://h/m.csv?sig=2'), true],
    ['addresses', addressOf('https://h/m.csv'), addressOf('https://h/n.csv'), false],
    ['queries in its rows', rowsOf('https://h/a.mp4?sig=1'), rowsOf('https://h/a.mp4?sig=2'), true],
    ['addresses in its rows', rowsOf('https://h/a.mp4?sig=1'), rowsOf('https://h/b.mp4?sig=1'), false],
    ['paths in its rows', rowsOf('/films/a.mp4'), rowsOf('/films/b.mp4'), false],
  ])('takes a manifest with other %s for the same, or not', (_label, one, other, isSame) => {
    expect(batchDifferences(inputOf(one), inputOf(other))).toEqual(isSame ? [] : ['manifest']);
  });
});
