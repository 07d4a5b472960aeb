import { ConfigurationError, MediaServiceError } from '../../../../api/errors';
import { controlEach } from '../../../../cli/commands/control';
import { cliContext } from '../../../support/cli-context';

const away = new MediaServiceError('TemporalUnreachable', 'Temporal is away.');

/** Controls these ids, and prints each that was done. An id with an error fails with it. */
async function controlled(
  ids: readonly string[],
  errors: Readonly<Record<string, Error>>,
): Promise<{ failure: unknown; stdout: string; stderr: string; asked: string[] }> {
  const { context, written } = cliContext();
  const asked: string[] = [];
  const failure = await controlEach(context.terminal, ids, {
    subjectOf: (id) => `${id}.mp4`,
    control(id) {
      asked.push(id);
      const error = errors[id];
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    },
    done: (id) => context.terminal.data(`${id}\n`),
  }).catch((error: unknown) => error);
  return { failure, ...written, asked };
}

test('one that fails for a reason of its own stops none, and is reported with its subject', async () => {
  const wrong = new ConfigurationError('TEMPORAL_CODEC_KEY', 'Its key is missing.');
  const { failure, stdout, stderr } = await controlled(['a', 'b'], { a: wrong });
  expect({ failure, stdout }).toEqual({ failure: 3, stdout: 'b\n' });
  expect(stderr).toContain('Error (a.mp4): Its key is missing.');
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
  const mistake = new Error('A mistake.');
  const { failure, stdout, asked } = await controlled(['a', 'b', 'c'], { b: mistake });
  expect({ failure, stdout, asked }).toEqual({ failure: mistake, stdout: 'a\n', asked: ['a', 'b'] });
});
