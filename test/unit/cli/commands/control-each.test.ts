import { expect, test } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { ConfigurationError, MediaServiceError } from '../../../../api/errors';
import { controlEach } from '../../../../cli/commands/control';
import { keptOutput } from '../kept-output';

const VIEW = { json: false, debug: false };
const away = new MediaServiceError('TemporalUnreachable', 'Temporal is away.');

/** Fails after the others were asked, too. */
async function failLate(error: Error): Promise<void> {
  await setImmediate();
  throw error;
}

/** Controls these ids, and prints each that was done. An id with an error fails with it. */
async function controlled(
  ids: readonly string[],
  errors: Readonly<Record<string, Error>>,
): Promise<{ failure: number | undefined; stdout: string; stderr: string; asked: string[] }> {
  const { terminal, written } = keptOutput();
  const asked: string[] = [];
  const { failure } = await controlEach(terminal, ids, {
    view: VIEW,
    control(id) {
      asked.push(id);
      const error = errors[id];
      return error === undefined ? Promise.resolve() : failLate(error);
    },
    done: (id) => terminal.data(`${id}\n`),
  });
  return { failure, ...written, asked };
}

test('one that fails for a reason of its own stops none, and is reported', async () => {
  const wrong = new ConfigurationError('TEMPORAL_CODEC_KEY', 'Its key is missing.');
  const { failure, stdout, stderr } = await controlled(['a', 'b'], { a: wrong });
  expect({ failure, stdout }).toEqual({ failure: 3, stdout: 'b\n' });
  expect(stderr).toContain('Its key is missing.');
});

test('if Temporal is away, it is reported once, those that were done are shown, and no more are asked', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `id-${index}`);
  const { failure, stdout, stderr, asked } = await controlled(ids, { 'id-1': away, 'id-2': away });
  expect(failure).toBe(4);
  expect(stderr.match(/Temporal is away/g)).toHaveLength(1);
  expect(stdout.split('\n').slice(0, 2)).toEqual(['id-0', 'id-3']);
  expect(asked.length).toBeLessThan(ids.length);
});

test('what nobody expected is thrown, after those that were done are shown', async () => {
  const { terminal, written } = keptOutput();
  const failing = controlEach(terminal, ['a', 'b'], {
    view: VIEW,
    control: (id) => (id === 'a' ? failLate(new Error('A mistake.')) : Promise.resolve()),
    done: (id) => terminal.data(`${id}\n`),
  });
  await expect(failing).rejects.toThrow('A mistake.');
  expect(written.stdout).toBe('b\n');
});

test('many are asked at the same time, and printed in their order, with their subject in an error', async () => {
  const { terminal, written } = keptOutput();
  const ids = Array.from({ length: 40 }, (_, index) => index);
  let asked = 0;
  let letGo = (): void => undefined;
  const isLetGo = new Promise<void>((go) => (letGo = go));
  await controlEach(terminal, ids, {
    view: VIEW,
    subjectOf: (id) => `${id}.mp4`,
    async control(id) {
      // None continues before the sixteenth has begun.
      if ((asked += 1) === 16) letGo();
      await isLetGo;
      if (id === 3) throw new MediaServiceError('InputDiffers', 'It exists with another title.');
      return id;
    },
    done: (_id, result) => terminal.data(`${result}\n`),
  });
  expect(written.stdout).toBe(
    ids
      .filter((id) => id !== 3)
      .map((id) => `${id}\n`)
      .join(''),
  );
  expect(written.stderr).toContain('Error (3.mp4): It exists with another title.');
});
