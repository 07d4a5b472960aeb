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

  it('ignores the query of an address', () => {
    const of = (url: string): BatchInput =>
      inputOf({ manifestDigest: undefined, manifest: httpManifest(url) });
    expect(batchDifferences(of('https://h/m.csv?sig=1'), of('https://h/m.csv?sig=2'))).toEqual([]);
    expect(batchDifferences(of('https://h/m.csv'), of('https://h/n.csv'))).toEqual(['manifest']);
  });

  it('ignores the queries in rows, and compares everything else', () => {
    const of = (source: string): BatchInput => inputOf(rowsOf(source));
    expect(batchDifferences(of('https://h/a.mp4?sig=1'), of('https://h/a.mp4?sig=2'))).toEqual([]);
    expect(batchDifferences(of('https://h/a.mp4?sig=1'), of('https://h/b.mp4?sig=1'))).toEqual(['manifest']);
    expect(batchDifferences(of('/films/a.mp4'), of('/films/b.mp4'))).toEqual(['manifest']);
  });
});
