import { describe, expect, test } from '@jest/globals';
import { readManifest, type ReadOptions } from '../../../manifest/read-manifest';
import type { ManifestMistake, ManifestRow } from '../../../manifest/row';

async function* chunks(...pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

async function read(
  text: string | Uint8Array,
  options: Partial<ReadOptions> = {},
): Promise<(ManifestRow | ManifestMistake)[]> {
  const items = [];
  const all: ReadOptions = { format: 'csv', place: { folder: '/srv' }, ...options };
  for await (const item of readManifest(chunks(text), all)) items.push(item);
  return items;
}

describe('a CSV', () => {
  test('gives each row with the line it begins on, its cells as the types of their columns', async () => {
    const rows = await read(
      'source,title,fileType,tags.project,metadata,creator,resolution,duration,isLibrary,includeInReport,id\r\n' +
        'a.mp4,"He said ""hi"",\r\ntwice",mov,apollo,"{""shot"":[1]}",Ana,high,1500,TRUE,false,one\r\n' +
        '\r\n' +
        'https://cdn.example/b.mp4?sig=x,,,,,,,,,,two\n',
    );
    expect(rows).toEqual([
      {
        line: 2,
        id: 'one',
        source: 'a.mp4',
        media: {
          fileType: 'MOV',
          title: 'He said "hi",\r\ntwice',
          creator: 'Ana',
          resolution: 'HIGH',
          duration: 1500,
          tags: { project: 'apollo' },
          insights: { isLibrary: true, includeInReport: false },
        },
        metadata: { shot: [1] },
      },
      { line: 5, id: 'two', source: 'https://cdn.example/b.mp4?sig=x', media: {} },
    ]);
  });
});
