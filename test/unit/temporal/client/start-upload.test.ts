import { expect, it } from '@jest/globals';
import { MediaServiceError } from '../../../../api/errors';
import type { TemporalConnection } from '../../../../temporal/client/connect';
import { startUpload } from '../../../../temporal/client/start-upload';
import { ACCOUNT as account } from '../../cli/example-account';

const request = {
  source: { kind: 'path', path: '/films/film.mp4' },
  media: { fileType: 'MP4' },
  ingestKey: 'key',
  options: {},
} as const;

/** gRPC's UNKNOWN, INTERNAL and INVALID_ARGUMENT. */
const [UNKNOWN, INTERNAL, INVALID_ARGUMENT] = [2, 13, 3] as const;

function grpcError(code: number): Error {
  return Object.assign(new Error(`gRPC ${code}`), { code });
}

function notFound(): Error {
  return Object.assign(new Error('no such workflow'), { name: 'WorkflowNotFoundError' });
}

/**
 * A server without uploads. The first description finds nothing, and the one after the start fails with the given
 * error.
 */
function connectionOf(fail: { readonly start?: Error; readonly describe?: Error }): TemporalConnection {
  let isStarted = false;
  const describeUpload = async (): Promise<never> => {
    throw isStarted && fail.describe !== undefined ? fail.describe : notFound();
  };
  const client = {
    workflow: {
      getHandle: () => ({ describe: describeUpload }),
      async start() {
        if (fail.start !== undefined) throw fail.start;
        isStarted = true;
      },
    },
  };
  return { client, address: 'temporal:7233', namespace: 'default' } as unknown as TemporalConnection;
}

async function failureOf(fail: Parameters<typeof connectionOf>[0]): Promise<MediaServiceError> {
  const error: unknown = await startUpload(connectionOf(fail), { account, request }).catch(
    (reason: unknown) => reason,
  );
  if (error instanceof MediaServiceError) return error;
  throw new Error(`expected a MediaServiceError, got ${String(error)}`);
}

it.each([
  ['after Temporal has accepted the upload says that it may run', { describe: grpcError(INTERNAL) }, true],
  ['without an answer says that the upload may run', { start: grpcError(UNKNOWN) }, true],
  ['because the server refused it says that nothing runs', { start: grpcError(INVALID_ARGUMENT) }, false],
])('a start that fails %s', async (_how, fail, mayRun) => {
  expect((await failureOf(fail)).outcome === 'ambiguous').toBe(mayRun);
});
