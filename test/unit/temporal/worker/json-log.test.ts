import type { Logger } from '@temporalio/worker';
import { MediaServiceError } from '../../../../api/errors';
import { jsonLog } from '../../../../temporal/worker/json-log';
import type { LogLevel } from '../../../../temporal/worker/worker-config';

/** The lines that are written meanwhile. */
function linesOf(log: (logger: Logger) => void, level: LogLevel = 'info'): string[] {
  const lines: string[] = [];
  log(jsonLog(level, (line) => lines.push(line)));
  return lines;
}

describe('jsonLog', () => {
  it('writes one JSON object per line, without secrets, stacks and task tokens', () => {
    const cause = new Error('PUT https://s.example/k?X-Amz-Signature=deadbeef failed');
    const error = new Error('failed', { cause });
    const lines = linesOf((log) => {
      log.warn('Activity failed', { workflowId: 'upload/a/k', taskToken: 'opaque', attempt: 2, error });
      log.error('Bearer abcdef.ghijkl', { error: new MediaServiceError('UrlExpired', 'it ended') });
    });
    const [first, second] = lines.map((line): unknown => JSON.parse(line));
    expect(first).toEqual({
      time: expect.any(String),
      level: 'warn',
      message: 'Activity failed',
      workflowId: 'upload/a/k',
      attempt: 2,
      error: { name: 'Error', message: 'failed', cause: { name: 'Error', message: expect.any(String) } },
    });
    expect(second).toMatchObject({ error: { code: 'UrlExpired' } });
    expect(lines.join('')).not.toMatch(/deadbeef|abcdef|opaque/);
    expect(lines.every((line) => line.endsWith('}\n'))).toBe(true);
  });

  it("writes integers that JSON can't hold", () => {
    const [line = ''] = linesOf((log) => void log.info('large', { big: 12n, nested: { big: 34n } }));
    expect(JSON.parse(line)).toMatchObject({ message: 'large', big: '12', nested: { big: '34' } });
  });

  const circle: Record<string, unknown> = { name: 'circle' };
  circle['self'] = circle;
  const own = new Error('own');
  own.cause = own;
  const throwing = {
    toJSON() {
      throw new Error('no');
    },
  };
  it.each([
    ['a circle', { circle }],
    ['an error that is its own cause', { own }],
    ['a value that throws', { throwing }],
  ])('writes the message without fields that hold %s, and never throws', (_what, meta) => {
    const [line = ''] = linesOf((log) => void log.info('odd', meta));
    expect(JSON.parse(line)).toMatchObject({ message: 'odd', level: 'info', meta: '[unreadable]' });
  });

  it.each([
    ['workflows, as two of three queues', 'No workflows registered, not polling for workflow tasks'],
    ['Nexus services, as all queues', 'No Nexus services registered, not polling for Nexus tasks'],
  ])('leaves out the expected warning about a queue without %s', (_what, message) => {
    expect(linesOf((log) => void log.warn(message), 'trace')).toEqual([]);
  });

  it('leaves out messages below its level', () => {
    expect(linesOf((log) => void log.info('quiet'), 'warn')).toEqual([]);
  });
});
