import { expect, test } from '@jest/globals';
import { ConfigurationError, MediaServiceError } from '../../../../api/errors';
import { controlEach } from '../../../../cli/commands/control';
import { keptOutput } from '../kept-output';

const away = new MediaServiceError('TemporalUnreachable', 'Temporal is away.');

/** Controls these ids, and prints each that was done. An id with an error fails with it. */
async function controlled(
  ids: readonly string[],
  errors: Readonly<Record<string, Error>>,
): Promise<{ failure: number | undefined; stdout: string; stderr: string; asked: string[] }> {
  const { terminal, written } = keptOutput();
  const asked: string[] = [];
  const failure = await controlEach(terminal, ids, {
    control(id) {
      asked.push(id);
      const error = errors[id];
      return error === undefined ? Promise.resolve() : Promise.reject(error);
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
  const ids = ['id-0', 'id-1', 'id-2'];
  const { failure, stdout, stderr, asked } = await controlled(ids, { 'id-1': away, 'id-2': away });
  expect(failure).toBe(4);
  expect(stderr.match(/Temporal is away/g)).toHaveLength(1);
  expect(stdout).toBe('id-0\n');
  expect(asked).toEqual(['id-0', 'id-1']);
});

test('what nobody expected is thrown, after those that were done are shown', async () => {
  const { terminal, written } = keptOutput();
  const failing = controlEach(terminal, ['a', 'b', 'c'], {
    control: (id) => (id === 'b' ? Promise.reject(new Error('A mistake.')) : Promise.resolve()),
    done: (id) => terminal.data(`${id}\n`),
  });
  await expect(failing).rejects.toThrow('A mistake.');
  expect(written.stdout).toBe('a\n');
});

test('an error names its subject', async () => {
  const { terminal, written } = keptOutput();
  await controlEach(terminal, [3], {
    subjectOf: (id) => `${id}.mp4`,
    control: () => Promise.reject(new MediaServiceError('InputDiffers', 'It exists with another title.')),
    done: () => Promise.resolve(),
  });
  expect(written.stderr).toContain('Error (3.mp4): It exists with another title.');
});
