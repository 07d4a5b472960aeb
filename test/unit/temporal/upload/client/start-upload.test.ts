import type { TemporalConnection } from '../../../../../temporal/client/connect';
import { startUpload } from '../../../../../temporal/upload/client/start-upload';
import { ACCOUNT as account } from '../../../cli/example-account';

const request = {
  source: { kind: 'path', path: '/films/film.mp4' },
  media: { fileType: 'MP4' },
  ingestKey: 'key',
  options: {},
} as const;

const connectionOf = (client: object): TemporalConnection =>
  ({ client, address: 'temporal:7233', namespace: 'default' }) as never;

it('a start that fails without an answer says that the upload may run', async () => {
  const unknown = Object.assign(new Error('gRPC UNKNOWN'), { code: 2 });
  const connection = connectionOf({ workflow: { start: () => Promise.reject(unknown) } });
  await expect(startUpload(connection, { account, request })).rejects.toMatchObject({ outcome: 'ambiguous' });
});

/** A server whose upload is cancelled, after its `complete`, just before another start arrives. */
function cancelledMeanwhile(): { readonly connection: TemporalConnection; readonly starts: unknown[] } {
  const starts: unknown[] = [];
  const session = { uploadId: 'u-1', fileName: 'film.mp4', fileType: 'MP4', bytes: 5 };
  let last = { status: { name: 'RUNNING' }, memo: {} };
  const client = {
    options: { loadedDataConverter: { payloadCodecs: [], payloadConverter: {} } },
    workflow: {
      getHandle: () => ({
        describe: async () => ({ runId: 'r', taskQueue: 'q', raw: {}, ...last }),
        fetchHistory: async () => ({ events: [] }),
      }),
      async start(_type: string, options: StartOptions) {
        const { workflowIdReusePolicy: policy, args, memo } = options;
        starts.push({ policy, earlier: args[0].earlier });
        if (policy === 'REJECT_DUPLICATE') {
          last = { status: { name: 'CANCELLED' }, memo: { ...memo, ...session } };
          throw Object.assign(new Error('exists'), { name: 'WorkflowExecutionAlreadyStartedError' });
        }
        return { firstExecutionRunId: 'new' };
      },
    },
  };
  return { connection: connectionOf(client), starts };
}

interface StartOptions {
  readonly workflowIdReusePolicy: string;
  readonly args: readonly [{ readonly earlier?: unknown }];
  readonly memo: object;
}

it('a start whose upload is cancelled after it was seen running reads the session that it left', async () => {
  const { connection, starts } = cancelledMeanwhile();
  const handle = await startUpload(connection, { account, request });
  expect(handle.joined).toBe(false);
  const earlier = { uploadId: 'u-1', fileName: 'film.mp4', fileType: 'MP4', bytes: 5, parts: [] };
  expect(starts).toEqual([
    { policy: 'REJECT_DUPLICATE', earlier: undefined },
    { policy: 'ALLOW_DUPLICATE_FAILED_ONLY', earlier },
  ]);
});
