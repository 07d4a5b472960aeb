import type { ErrorCode, ErrorFacts, MediaServiceError } from '../../../../../api/errors';
import { given } from '../../../../../api/json';
import type { UploadOptions } from '../../../../../api/options/upload-options';
import { runUpload } from '../../../../../api/upload/engine/run-upload';
import type { EarlierSession, PartInput, UploadResult, UploadSteps } from '../../../../../api/upload/types';
import { failure, fakeControl, FakeSteps, PART_BYTES, requestOf, sessionOf } from '../fake-steps';

export const BYTES = 3 * PART_BYTES;
export const IDENTITY = `s3;bytes=${BYTES};etag="a"`;
export const kept = (partNumber: number) => ({ partNumber, eTag: `kept-${partNumber}`, verified: true });
/** A session of three parts, two of which were sent. */
export const EARLIER: EarlierSession = {
  ...{ uploadId: 'upload-0', mediaId: 'media-0', fileName: 'film.mp4', fileType: 'MP4' },
  ...{ bytes: BYTES, identity: IDENTITY, partBytes: PART_BYTES, parts: [kept(1), kept(3)] },
};

export interface Continued {
  readonly earlier?: EarlierSession;
  /** What a read of the earlier session shows: its status, an error, or more. Default: PARTIAL. */
  readonly reads?: string | MediaServiceError | ReturnType<typeof sessionOf>;
  readonly givesUrls?: boolean;
  readonly identity?: string;
  readonly options?: UploadOptions;
  readonly startPending?: true;
  /** Why a part is not sent. */
  readonly part?: (input: PartInput) => MediaServiceError | undefined;
  readonly steps?: Partial<UploadSteps>;
}

/** An upload that an earlier run began. Every step of it succeeds at once unless it is replaced. */
export function continued({ earlier = EARLIER, reads = 'PARTIAL', ...of }: Continued) {
  const { givesUrls = true, identity = IDENTITY, startPending } = of;
  const { bytes } = earlier;
  const steps = new FakeSteps(bytes, {
    readSession: async ({ uploadId }) => {
      if (reads instanceof Error) throw reads;
      return { ...(typeof reads === 'string' ? sessionOf(reads, { uploadId }) : reads), givesUrls };
    },
    pinSource: async () => ({
      source: { kind: 's3', bucket: 'films', key: 'film.mp4' },
      ...{ bytes, fingerprint: identity, fileName: 'film.mp4' },
    }),
    ...of.steps,
  });
  const sent: string[] = [];
  const put = steps.sendPart;
  steps.sendPart = (input) => {
    const error = of.part?.(input);
    const result = put(input);
    sent.push(`${input.uploadId} ${input.partNumber} ${input.bytes / PART_BYTES}`);
    if (error === undefined) steps.running.at(-1)?.succeed();
    else steps.running.at(-1)?.fail(error);
    return result;
  };
  const sessions: EarlierSession[] = [];
  const control = { ...fakeControl(steps), onSession: (one: EarlierSession) => void sessions.push(one) };
  const request = { ...requestOf({ concurrency: 1, ...of.options }), earlier, ...given({ startPending }) };
  return {
    ...{ steps, sent, sessions, control },
    upload: (): Promise<UploadResult> => runUpload(request, steps, control),
  };
}

export const refused = (code: ErrorCode, facts: ErrorFacts = {}): MediaServiceError =>
  failure(code, { outcome: 'refused', ...facts });
