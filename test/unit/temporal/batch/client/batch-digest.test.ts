import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { batchDifferences, batchDigest } from '../../../../../temporal/batch/client/batch-input';
import type { BatchMeaning } from '../../../../../temporal/batch/client/batch-input';

const MEANING: BatchMeaning = {
  manifest: { source: { kind: 'path', path: '/m/harbour.csv', host: 'h' }, format: 'csv' },
  manifestDigest: 'aa',
  folder: { kind: 's3', bucket: 'b', key: 'batches/1' },
  options: { parallelUploads: 8, pageRows: 100 },
};
const digestOf = (change: Partial<BatchMeaning> = {}): string => batchDigest({ ...MEANING, ...change });
const httpManifest = (url: string): BatchMeaning['manifest'] => ({
  source: { kind: 'http', url, label: 'https://h/m.csv' },
  format: 'csv',
});

describe('batchDifferences', () => {
  it.each<[label: string, change: Partial<BatchMeaning>, differing: string[]]>([
    ['nothing', {}, []],
    ['options in another order', { options: { pageRows: 100, parallelUploads: 8 } }, []],
    ['another option', { options: { parallelUploads: 9, pageRows: 100 } }, ['options']],
    ['another folder', { folder: { kind: 's3', bucket: 'b', key: 'batches/2' } }, ['folder']],
    ['another text', { manifestDigest: 'bb' }, ['manifest']],
    ['the same text elsewhere', { manifest: httpManifest('https://h/m.csv') }, []],
    ['the same location whose text is not known', { manifestDigest: undefined }, []],
    [
      'another format whose text is not known',
      {
        manifest: { source: { kind: 'path', path: '/m/harbour.csv', host: 'h' }, format: 'jsonl' },
        manifestDigest: undefined,
      },
      ['manifest'],
    ],
    [
      'another location whose text is not known',
      { manifest: httpManifest('https://h/m.csv'), manifestDigest: undefined },
      ['manifest'],
    ],
    ['rows', { manifest: { rows: [{ source: 'a.mp4' }] } }, ['manifest']],
    [
      'all of it',
      { manifestDigest: 'cc', options: {}, folder: { kind: 'path', path: '/o' } },
      ['manifest', 'folder', 'options'],
    ],
  ])('names the difference for %s', (_label, change, differing) => {
    expect(batchDifferences(digestOf(change), digestOf())).toEqual(differing);
    expect(batchDifferences(digestOf(), digestOf(change))).toEqual(differing);
  });

  it('takes a batch without a digest for another one', () => {
    expect(batchDifferences(digestOf(), undefined)).toEqual(['manifest', 'folder', 'options']);
  });

  it('ignores the query of an address, and compares paths', () => {
    const unread = { manifestDigest: undefined };
    const of = (url: string): string => digestOf({ ...unread, manifest: httpManifest(url) });
    expect(batchDifferences(of('https://h/m.csv?sig=1'), of('https://h/m.csv?sig=2'))).toEqual([]);
    expect(batchDifferences(of('https://h/a/m.csv'), of('https://h/b/m.csv'))).toEqual(['manifest']);
  });

  it('ignores the queries in rows, and compares everything else', () => {
    const of = (source: string): string => digestOf({ manifest: { rows: [{ source, id: 'a' }] } });
    expect(batchDifferences(of('https://h/a.mp4?sig=1'), of('https://h/a.mp4?sig=2'))).toEqual([]);
    expect(batchDifferences(of('https://h/a.mp4?sig=1'), of('https://h/b.mp4?sig=1'))).toEqual(['manifest']);
    expect(batchDifferences(of('/films/a.mp4'), of('/films/b.mp4'))).toEqual(['manifest']);
  });

  it('finds no difference between a batch and itself, whatever it holds', () => {
    const options = fc.record({ parallelUploads: fc.nat(), sourceFolder: fc.string() }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), options, (manifestDigest, more) => {
        const digest = digestOf({ manifestDigest, options: more });
        expect(batchDifferences(digest, digestOf({ manifestDigest, options: { ...more } }))).toEqual([]);
      }),
    );
  });
});
