import { MediaServiceError } from '../../../../api/errors';
import { jsonLog } from '../../../../temporal/worker/json-log';

describe('jsonLog', () => {
  it('writes one JSON object per line, without secrets, stacks and task tokens', () => {
    const lines: string[] = [];
    const cause = new Error('PUT https://s.example/k?X-Amz-Signature=deadbeef failed');
    const log = jsonLog('info', (line) => lines.push(line));
    log.warn('Activity failed', {
      workflowId: 'upload/a/k',
      taskToken: 'opaque',
      attempt: 2,
      error: new Error('failed', { cause }),
    });
    log.error('Bearer abcdef.ghijkl', {
      error: new MediaServiceError('UrlExpired', 'part 1: the URL ended'),
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
    const lines: string[] = [];
    jsonLog('info', (line) => lines.push(line)).info('large', { big: 12n, nested: { big: 34n } });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'large', big: '12', nested: { big: '34' } });
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
    const lines: string[] = [];
    jsonLog('info', (line) => lines.push(line)).info('odd', meta);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'odd', level: 'info', meta: '[unreadable]' });
  });

  it.each([
    ['workflows, as two of three queues', 'No workflows registered, not polling for workflow tasks'],
    ['Nexus services, as all queues', 'No Nexus services registered, not polling for Nexus tasks'],
  ])('leaves out the expected warning about a queue without %s', (_what, message) => {
    const lines: string[] = [];
    const log = jsonLog('trace', (line) => lines.push(line));
    log.warn(message, { taskQueue: 'media-service/transfer' });
    log.info(message, { taskQueue: 'media-service/transfer' });
    expect(lines).toEqual([]);
  });

  it('leaves out messages below its level', () => {
    const lines: string[] = [];
    jsonLog('warn', (line) => lines.push(line)).info('quiet');
    expect(lines).toEqual([]);
  });
});
