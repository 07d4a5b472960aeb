import { describe, expect, it } from '@jest/globals';
import { MediaServiceError } from '../../../../api/errors';
import type { TemporalConnection } from '../../../../temporal/client/connect';
import { startUpload } from '../../../../temporal/client/start-upload';

const account = {
  baseUrl: 'https://service.example',
  uploadUrl: 'https://upload.example',
  apiKey: 'key',
  secretKey: 'a secret',
  externalId: 'studio',
};
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

describe('a start that fails', () => {
  it('after Temporal has accepted the upload says that it may run, whatever went wrong', async () => {
    const error = await failureOf({ describe: grpcError(INTERNAL) });
    expect(error.outcome).toBe('ambiguous');
  });

  it('without an answer from the server says that the upload may run', async () => {
    expect((await failureOf({ start: grpcError(UNKNOWN) })).outcome).toBe('ambiguous');
  });

  it('because the server refused it says that nothing runs', async () => {
    expect((await failureOf({ start: grpcError(INVALID_ARGUMENT) })).outcome).not.toBe('ambiguous');
  });
});
