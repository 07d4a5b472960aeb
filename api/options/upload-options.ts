import { defaultsOf } from './option';
import type { OptionTable, OptionValues } from './option';

const HOUR_MS = 3_600_000;
const TUNING = 'Set by tests, by settings or by a batch';

/** What describes the media of an upload. */
export const MEDIA_OPTIONS = {
  fileType: { type: 'text', description: "File type, as MP4; otherwise by the file's name" },
  title: { type: 'text', description: 'Display title' },
  creator: { type: 'text', maxLength: 255, description: 'Creator or uploader' },
  duration: { type: 'integer', unit: 'ms', min: 0, description: 'Length of the media' },
  resolution: {
    type: 'text',
    values: ['LOW', 'NORMAL', 'HIGH'],
    description: 'Resolution of the media; the service takes NORMAL otherwise',
  },
  tags: { type: 'texts', description: 'Tags by name' },
  insights: { type: 'object', description: 'isLibrary and includeInReport, each true or false' },
} as const satisfies OptionTable;

/** How a file is sent. */
export const UPLOAD_OPTIONS = {
  partBytes: {
    type: 'integer',
    unit: 'bytes',
    min: 1,
    description: 'Preferred part size, clamped to the limits of the service',
  },
  concurrency: {
    type: 'integer',
    min: 1,
    max: 16,
    default: 4,
    description: 'Parts sent at once',
  },
  verifyMd5: {
    type: 'boolean',
    default: true,
    description: "Compare the MD5 of each part with the storage's ETag",
  },
  acceptAnyContent: {
    type: 'boolean',
    default: false,
    description: 'Upload even if Content-Type or first bytes contradict the file type',
  },
  stallMs: {
    type: 'integer',
    unit: 'ms',
    min: 1,
    max: HOUR_MS,
    default: 15_000,
    description: 'Longest time without a byte',
  },
  processingLimitMs: {
    type: 'integer',
    unit: 'ms',
    min: 1,
    default: 24 * HOUR_MS,
    description: 'How long the service may process the file',
  },
  heartbeatMs: tuned(20_000, HOUR_MS),
  pollDelayMs: tuned(1_000, HOUR_MS),
  /** First pause before a `start` with a lost answer is repeated. The next one is 30 times as long. */
  startPauseMs: tuned(30_000, HOUR_MS),
  /**
   * How long a `start` may wait before it is sent; later it is not sent any more. If its worker was lost, its session is
   * not searched for during this time.
   */
  startLimitMs: tuned(60_000, 120_000),
  maxParts: { type: 'integer', min: 1, max: 120, default: 120, internal: true, description: TUNING },
} as const satisfies OptionTable;

/** A time in ms. */
function tuned(byDefault: number, max: number) {
  const limits = { type: 'integer', unit: 'ms', min: 1 } as const;
  return { ...limits, max, default: byDefault, internal: true, description: TUNING } as const;
}

export type UploadOptions = OptionValues<typeof UPLOAD_OPTIONS>;

export const DEFAULT_UPLOAD_OPTIONS = defaultsOf(UPLOAD_OPTIONS);
