import { DEFAULT_UPLOAD_OPTIONS as DEFAULTS } from '../upload/request/upload-request';
import type { MediaFields, UploadOptions } from '../upload/request/upload-request';
import type { OptionTable } from './option';

const KIB = 1024;
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
} as const satisfies OptionTable<keyof MediaFields>;

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
    default: DEFAULTS.concurrency,
    description: 'Parts sent at once',
  },
  verifyMd5: {
    type: 'boolean',
    default: DEFAULTS.verifyMd5,
    description: "Compare the MD5 of each part with the storage's ETag",
  },
  acceptAnyContent: {
    type: 'boolean',
    default: false,
    description: 'Upload even if Content-Type or first bytes contradict the file type',
  },
  restartOnExpiry: {
    type: 'boolean',
    default: DEFAULTS.restartOnExpiry,
    description: 'Start one new session if URLs expire and no more are available',
  },
  minimumThroughput: {
    type: 'integer',
    unit: 'bytes per second',
    min: 0,
    default: DEFAULTS.minimumThroughput,
    description: 'A slower part is given up and sent again',
  },
  stallMs: {
    type: 'integer',
    unit: 'ms',
    min: 1,
    max: HOUR_MS,
    default: DEFAULTS.stallMs,
    description: 'Longest time without a byte',
  },
  processingLimitMs: {
    type: 'integer',
    unit: 'ms',
    min: 1,
    default: DEFAULTS.processingLimitMs,
    description: 'How long the service may process the file',
  },
  bytesPerSecond: {
    type: 'integer',
    unit: 'bytes per second',
    min: 64 * KIB,
    description: 'Max speed of this upload',
  },
  heartbeatMs: { type: 'integer', unit: 'ms', min: 1, max: HOUR_MS, internal: true, description: TUNING },
  pollDelayMs: { type: 'integer', unit: 'ms', min: 1, max: HOUR_MS, internal: true, description: TUNING },
  startPauseMs: { type: 'integer', unit: 'ms', min: 1, max: HOUR_MS, internal: true, description: TUNING },
  startLimitMs: { type: 'integer', unit: 'ms', min: 1, max: 120_000, internal: true, description: TUNING },
  maxParts: { type: 'integer', min: 1, max: DEFAULTS.maxParts, internal: true, description: TUNING },
  bandwidthGroup: { type: 'text', internal: true, description: TUNING },
} as const satisfies OptionTable<keyof UploadOptions>;
