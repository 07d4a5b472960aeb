import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { withStdinManifest } from '../../../../cli/batch/manifest-argument';

const stdin = (...chunks: string[]): Readable => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('a manifest on stdin', () => {
  test('can be read as often as needed, and its digest is that of its text', async () => {
    const content = '{"source":"a.mp4"}\n{"source":"b.mp4"}\n';
    const read = await withStdinManifest(stdin(content.slice(0, 7), content.slice(7)), async (manifest) => ({
      digest: manifest.digest,
      first: await text(Readable.from(manifest.bytes())),
      second: await text(Readable.from(manifest.bytes())),
    }));
    const digest = createHash('sha256').update(content).digest('hex');
    expect(read).toEqual({ digest, first: content, second: content });
  });

  test.each([
    ['an object', '{"source":"a.mp4"}', 'jsonl'],
    ['an object behind a byte order mark and blank lines', '\ufeff\n\n {"source":"a.mp4"}', 'jsonl'],
    ['a header', 'source,id\n', 'csv'],
    ['nothing', '', 'csv'],
  ])('that begins with %s shows its format', async (_label, content, format) => {
    expect(await withStdinManifest(stdin(content), ({ format: reported }) => Promise.resolve(reported))).toBe(
      format,
    );
  });

  test('leaves nothing behind, even if its use fails', async () => {
    let file: unknown;
    const failing = withStdinManifest(stdin('source\n'), async ({ bytes }) => {
      const stream = bytes();
      file = 'path' in stream ? stream.path : undefined;
      await text(Readable.from(stream));
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    await expect(access(String(file))).rejects.toThrow('ENOENT');
    await expect(access(dirname(String(file)))).rejects.toThrow('ENOENT');
    expect(basename(dirname(String(file)))).toMatch(/^stdin-manifest-/);
  });
});
