import { readdir } from 'node:fs/promises';
import { MediaServiceError } from '../../../../api/errors';
import { checkManifest, type CheckOptions, type Finding } from '../../../../manifest/check/check-manifest';
import { useTempDir } from '../../../support/use-temp-dir';
import { inPieces } from '../manifest-text';

const temp = useTempDir('check');

async function check(text: string, options: Partial<CheckOptions> = {}) {
  const findings: Finding[] = [];
  const summary = await checkManifest(inPieces(text), {
    format: 'csv',
    rowContext: { folder: '/srv' },
    tempDir: temp.path,
    onFinding: (finding) => void findings.push(finding),
    ...options,
  });
  return { findings, summary };
}

const MISSING = new MediaServiceError('SourceMissing', `${'x'.repeat(300_000)} is not there`);

/** Files of these sizes below /srv. All others are missing, and what is not a file has no known size. */
function sizeOf(sizes: Readonly<Record<string, number>>): NonNullable<CheckOptions['sizeOf']> {
  return async (source) => {
    if (source.kind !== 'path') return undefined;
    const size = sizes[source.path.replace('/srv/', '')];
    if (size === undefined) throw MISSING;
    return size;
  };
}

describe('the manifest check', () => {
  test('lists mistakes in line order, then repeated IDs and repeated sources, each with both lines', async () => {
    const { findings, summary } = await check(
      'source,id,duration\na.mp4,1,\nb.mp4,2,x\n./a.mp4,1,5\nc.mp4,3,\nc.mp4,4,\nnotes.txt,5,\nc.mp4,1,\n',
    );
    expect(findings.map(({ severity, line, column, message }) => [severity, line, column, message])).toEqual([
      ['mistake', 3, 'duration', 'duration must be a whole number of milliseconds, 0 or more'],
      ['mistake', 7, 'fileType', expect.stringContaining('which the service does not accept')],
      ['mistake', 4, 'id', 'the id "1" is already in line 2'],
      ['warning', 4, 'source', expect.stringContaining('that of line 2')],
      ['warning', 6, 'source', expect.stringContaining('that of line 5')],
      ['mistake', 8, 'id', 'the id "1" is already in line 2'],
      ['warning', 8, 'source', expect.stringContaining('that of line 5')],
    ]);
    expect(summary).toMatchObject({ rows: 5, mistakes: 4, warnings: 3 });
  });

  test('finds rows without IDs that are identical', async () => {
    const { findings } = await check('source,title\na.mp4,A\na.mp4,B\na.mp4,A\n');
    expect(findings.filter(({ severity }) => severity === 'mistake')).toEqual([
      expect.objectContaining({ line: 4, column: 'id', hint: expect.stringContaining('Rows without ids') }),
    ]);
  });

  test('counts rows, types and bytes', async () => {
    const sizes = sizeOf({ 'a.mp4': 5, 'b.mov': 300_000_000 });
    const text = 'source\na.mp4\nb.mov\nhttps://cdn.example/watch\n';
    const { summary, findings } = await check(text, { sizeOf: sizes });
    expect(findings).toEqual([]);
    expect(summary).toEqual({
      rows: 3,
      mistakes: 0,
      warnings: 0,
      sized: 2,
      bytes: 300_000_005,
      fileTypes: { MP4: 1, MOV: 1, '(by the worker)': 1 },
    });
  });

  test('reports a source that is missing, empty or too large with its line, but never 300 kB of a path', async () => {
    const { findings, summary } = await check('source\nnone.mp4\nempty.mp4\nhuge.mp4\nfine.mp4\n', {
      sizeOf: sizeOf({ 'empty.mp4': 0, 'huge.mp4': 72_000_000_001, 'fine.mp4': 1 }),
    });
    expect(findings.map(({ line, column, message }) => [line, column, message])).toEqual([
      [2, 'source', expect.stringMatching(/^x{800} … x{187} is not there$/)],
      [3, 'source', expect.stringContaining('empty')],
      [4, 'source', expect.stringContaining('72 GB')],
    ]);
    expect(summary).toMatchObject({ rows: 1, mistakes: 3, sized: 1, bytes: 1 });
  });

  test('checks no more sources at once than its limit', async () => {
    let running = 0;
    let highest = 0;
    const rows = Array.from({ length: 50 }, (_, index) => `${String(index)}.mp4`).join('\n');
    await check(`source\n${rows}\n`, {
      sizeOf: async () => {
        highest = Math.max(highest, (running += 1));
        await new Promise(setImmediate);
        running -= 1;
        return 1;
      },
    });
    expect(highest).toBe(16);
  });

  test('leaves nothing behind, even if its reader stops early', async () => {
    const onFinding = (): Promise<void> => Promise.reject(new Error('Enough.'));
    await expect(check('source\nx.txt\n', { onFinding })).rejects.toThrow('Enough.');
    expect(await readdir(temp.path)).toEqual([]);
  });
});
