import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../support/after-test';
import { linesOf, runCommand, type CommandEnd } from '../support/command';
import { serveFile } from '../support/range-server';
import { useBucket } from '../support/s3-bucket';
import { s3Env } from '../support/servers';
import { useTempDir } from '../support/use-temp-dir';

const bucket = useBucket();
const temp = useTempDir('cli-batch-manifest');

beforeAll(async () => {
  await bucket.put('clips/dawn/tone.wav', Buffer.alloc(12_044));
  await bucket.put('clips/harbour.mp4', 'film');
  await bucket.put('clips/notes.txt', 'text');
  await mkdir(join(temp.path, 'clips'));
  await writeFile(join(temp.path, 'clips', 'tone.wav'), Buffer.alloc(16_044));
  await writeFile(join(temp.path, 'clips', 'harbour, dawn.mp4'), 'film');
  await writeFile(join(temp.path, 'clips', 'notes.txt'), 'text');
});

function batch(words: readonly string[], more: { env?: Record<string, string> } = {}): Promise<CommandEnd> {
  return runCommand(['batches', ...words], { cwd: temp.path, ...more, env: { ...s3Env(), ...more.env } });
}

describe('batch plan', () => {
  it('writes a manifest of a folder', async () => {
    const planned = await batch(['plan', 'clips']);
    expect(planned).toMatchObject({
      exit: 0,
      stdout: 'source,fileType\n"clips/harbour, dawn.mp4",MP4\nclips/tone.wav,WAV\n',
      stderr:
        '2 files, 16.0 kB: 1 MP4, 1 WAV.\nLeft out: 1 of a type the service does not take (notes.txt).\n',
    });
  });

  it('writes a manifest of an S3 prefix', async () => {
    const source = `s3://${bucket.name}/clips`;
    const planned = await batch(['plan', source, '-o', 's3.jsonl', '--json']);
    expect(planned).toMatchObject({ exit: 0, stderr: '' });
    expect(JSON.parse(planned.stdout)).toMatchObject({ files: 2, skipped: { unsupported: 1 } });
    expect(linesOf({ stdout: await readFile(join(temp.path, 's3.jsonl'), 'utf8') })).toEqual([
      { source: `${source}/dawn/tone.wav`, fileType: 'WAV' },
      { source: `${source}/harbour.mp4`, fileType: 'MP4' },
    ]);
  });

  it('names what it leaves out and why, including a link that leads outside', async () => {
    const outside = await tempFolder('cli-batch-outside');
    await writeFile(join(outside, 'harbour.mp4'), 'film');
    await mkdir(join(temp.path, 'odd'));
    await writeFile(join(temp.path, 'odd', 'a.mp4'), 'film');
    await writeFile(Buffer.from(join(temp.path, 'odd', 'caf\xe9.mp4'), 'latin1'), 'film');
    await symlink(join(temp.path, 'clips'), join(temp.path, 'odd', 'clips'));
    await symlink(join(outside, 'harbour.mp4'), join(temp.path, 'odd', 'out.mp4'));
    const planned = await batch(['plan', 'odd']);
    expect(planned).toMatchObject({ exit: 0, stdout: 'source,fileType\nodd/a.mp4,MP4\n' });
    expect(planned.stderr).toBe(
      '1 file, 4 B: 1 MP4.\nLeft out: 1 to rename, because the name is not UTF-8 (caf\ufffd.mp4), ' +
        '1 linked to outside the allowed folders (out.mp4), 1 linked to a folder, which is not entered (clips).\n',
    );
    const named = await batch(['plan', 'odd/out.mp4']);
    expect(named).toMatchObject({ exit: 2, stdout: '' });
    expect(named.stderr).toMatch(
      /left out: 1 linked to outside the allowed folders \(out\.mp4\)[^]*What to do: .*MEDIA_SERVICE_FILE_ROOTS/,
    );
  });

  it.each([
    ['an output of an unknown format', ['clips', '-o', 'clips.foo'], /clips\.foo does not show the format/],
    ['a pattern that matches nothing', ['clips/*.mov'], /No file can be uploaded: nothing matches/],
    ['a pattern of other files', ['clips/*.txt'], /left out: 1 of a type .* \(notes\.txt\)/],
    ['--json without --output', ['clips', '--json'], /without --output, stdout has the manifest itself/],
  ])('ends with an error for %s', async (_label, words, message) => {
    const stderr = expect.stringMatching(message);
    expect(await batch(['plan', ...words])).toEqual({ exit: 2, stdout: '', stderr });
  });
});

describe('batch check', () => {
  it('marks warnings, has every mistake with its line as JSON, and exits with 2', async () => {
    const text = 'source,id\nclips/tone.wav,1\nclips/none.mp4,2\nclips/tone.wav,1\n"clips/tone.wav"x,4\n';
    await writeFile(join(temp.path, 'wrong.csv'), text);
    const { stdout } = await batch(['check', 'wrong.csv']);
    expect(stdout).toMatch(/^line 5, fileType: .* from the name "tone.wav\\"x"/m);
    expect(stdout).toMatch(/^line 4, source: warning: the source is also that of line 2/m);
    expect(stdout).toContain('\n3 mistakes, 1 warning. `batches start` refuses this manifest');
    const { exit, ...json } = await batch(['check', 'wrong.csv', '--json']);
    expect({ exit, stderr: json.stderr }).toEqual({ exit: 2, stderr: '' });
    expect(linesOf(json)).toMatchObject([
      { severity: 'mistake', line: 3, column: 'source' },
      { severity: 'mistake', line: 5, column: 'fileType' },
      { severity: 'mistake', line: 4, column: 'id' },
      { severity: 'warning', line: 4, column: 'source' },
      { summary: { ok: false, rows: 2, mistakes: 3, warnings: 1 } },
    ]);
  });

  it('reads a manifest from an allowed http host', async () => {
    const path = join(temp.path, 'served.csv');
    await writeFile(path, 'source;id\nclips/tone.wav;1\n');
    const server = await serveFile(path);
    try {
      const refused = await batch(['check', server.url]);
      expect(refused.exit).toBe(5);
      expect(refused.stderr).toContain('MEDIA_SERVICE_SOURCE_HOSTS');
      const { host } = new URL(server.url);
      const allowed = await batch(['check', server.url, '--json'], {
        env: { MEDIA_SERVICE_SOURCE_HOSTS: host },
      });
      expect(allowed).toMatchObject({ exit: 0, stderr: '' });
      expect(JSON.parse(allowed.stdout)).toMatchObject({ summary: { ok: true, rows: 1, sized: 1 } });
      for (const { stdout, stderr } of [refused, allowed]) expect(stdout + stderr).not.toContain('canary');
    } finally {
      await server.close();
    }
  });

  it('reads a manifest in S3, and resolves its relative paths against --folder', async () => {
    await bucket.put('manifest.csv', 'source\ntone.wav\n');
    const words = ['check', `s3://${bucket.name}/manifest.csv`, '--folder', 'clips', '--json'];
    const { exit, stdout } = await batch(words);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { ok: true, rows: 1, sized: 1 } });
  });
});
