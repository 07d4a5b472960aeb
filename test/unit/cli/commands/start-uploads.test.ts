import { expect, test } from '@jest/globals';
import { MediaServiceError } from '../../../../api/errors';
import { startUploads } from '../../../../cli/commands/upload';
import type { PlannedUpload } from '../../../../cli/uploads/upload-plan';
import type { UploadHandle } from '../../../../temporal/upload/client/open-upload';
import { UNUSED_CONTROLS } from '../live-fixture';

const { signal } = new AbortController();

function planned(count: number): PlannedUpload[] {
  return Array.from({ length: count }, (_, index) => ({
    file: `${String(index)}.mp4`,
    request: { source: { kind: 'path', path: '/a.mp4' }, media: {}, ingestKey: String(index), options: {} },
  }));
}

function handle(workflowId: string): UploadHandle {
  const never = (): Promise<never> => Promise.reject(new Error('Nobody asks.'));
  return { ...UNUSED_CONTROLS, workflowId, progress: never, result: never };
}

test('many uploads start at the same time, and are reported in their order', async () => {
  const begun: string[] = [];
  let letGo = (): void => undefined;
  const isLetGo = new Promise<void>((done) => {
    letGo = done;
  });
  const shown: string[] = [];
  const starting = startUploads(planned(75), {
    start: async ({ file }) => {
      // None continues before the sixteenth has begun.
      if (begun.push(file) === 16) letGo();
      await isLetGo;
      return handle(file);
    },
    onStart: ({ file }) => {
      shown.push(file);
      return Promise.resolve();
    },
    onRefusal: () => undefined,
    signal,
  });
  expect(await starting).toHaveLength(75);
  expect(shown).toEqual(planned(75).map(({ file }) => file));
});

test('a refused upload is reported and stops none of the others', async () => {
  const refused: string[] = [];
  const started = await startUploads(planned(3), {
    start: ({ file }) =>
      file === '1.mp4'
        ? Promise.reject(new MediaServiceError('InputDiffers', 'It exists with another title.'))
        : Promise.resolve(handle(file)),
    onStart: () => Promise.resolve(),
    onRefusal: (file, { code }) => void refused.push(`${file} ${code}`),
    signal,
  });
  expect(started.map(({ file }) => file)).toEqual(['0.mp4', '2.mp4']);
  expect(refused).toEqual(['1.mp4 InputDiffers']);
});

test('an unreachable Temporal ends the command', async () => {
  const away = new MediaServiceError('TemporalUnreachable', "Temporal can't be reached.");
  const starting = startUploads(planned(3), {
    start: () => Promise.reject(away),
    onStart: () => Promise.resolve(),
    onRefusal: () => undefined,
    signal,
  });
  await expect(starting).rejects.toBe(away);
});
