import { defaultsOf } from './option';
import type { OptionTable, OptionValues } from './option';

const HOUR_MS = 3_600_000;
const IN_MANIFESTS = { command: 'a column of manifests' };
const NOT_TUNED = { n8n: 'parts share the memory of n8n, and workers choose themselves' };
const FOR_PROGRAMS = { command: 'the default fits', n8n: 'the default fits' };
const TUNING = 'Set by tests, by settings or by a batch';

/** What describes the media of an upload. */
export const MEDIA_OPTIONS = {
  fileType: {
    type: 'text',
    description: "File type, as MP4; otherwise by the file's name",
    flag: '--file-type <type>',
  },
  title: { type: 'text', description: 'Display title', flag: '--title <title>' },
  creator: { type: 'text', maxLength: 255, description: 'Creator or uploader', notIn: IN_MANIFESTS },
  duration: { type: 'integer', unit: 'ms', min: 0, description: 'Length of the media', notIn: IN_MANIFESTS },
  resolution: {
    type: 'text',
    values: ['LOW', 'NORMAL', 'HIGH'],
    default: 'NORMAL',
    description: 'Resolution of the media',
    notIn: IN_MANIFESTS,
  },
  tags: { type: 'texts', description: 'Tags by name', flag: '--tag <key=value>' },
  insights: {
    type: 'object',
    description: 'isLibrary and includeInReport, each true or false',
    notIn: { command: '`--library`; manifests have columns', n8n: '_Add to Library_, _Include in Reports_' },
  },
} as const satisfies OptionTable;

/** What else the start of an upload takes. */
export const START_OPTIONS = {
  ingestKey: {
    type: 'text',
    description: 'Names the upload: the same key means the same upload',
    flag: '--id <id>',
  },
  again: {
    type: 'boolean',
    default: false,
    description: 'Upload again what was uploaded before; otherwise the start joins that upload',
    flag: '--again',
  },
  metadata: { type: 'object', description: 'Metadata as a JSON object', flag: '--metadata <json|@file>' },
  sharedPath: {
    type: 'boolean',
    default: false,
    description: 'Every worker mounts the paths; otherwise they are on this machine',
    flag: '--shared-path',
    notIn: { n8n: '`*` in the field Worker Host' },
  },
  sourceSecret: {
    type: 'text',
    description: 'Name of the worker secret with headers for http(s) sources',
    flag: '--source-secret <name>',
    notIn: { n8n: 'Batch > Start has it; an HTTP Request node sends headers of its own' },
  },
  fileName: {
    type: 'text',
    description: 'Name of the file, if its source does not show it',
    notIn: { command: '`--file-type` says what a name would' },
  },
} as const satisfies OptionTable;

/** How a file is sent. */
export const UPLOAD_OPTIONS = {
  partBytes: {
    type: 'integer',
    unit: 'bytes',
    min: 1,
    description: 'Preferred part size, clamped to the limits of the service',
    flag: '--part-size <size>',
    notIn: NOT_TUNED,
  },
  concurrency: {
    type: 'integer',
    min: 1,
    max: 16,
    default: 4,
    description: 'Parts sent at once',
    flag: '--concurrency <n>',
    notIn: NOT_TUNED,
  },
  verifyMd5: {
    type: 'boolean',
    default: true,
    description: "Compare the MD5 of each part with the storage's ETag; otherwise trust the storage",
    flag: '--no-verify',
  },
  acceptAnyContent: {
    type: 'boolean',
    default: false,
    description:
      'Upload even if Content-Type or first bytes contradict the file type; otherwise it is refused',
    flag: '--accept-any-content',
  },
  stallMs: {
    type: 'integer',
    unit: 'ms',
    min: 1,
    max: HOUR_MS,
    default: 15_000,
    description: 'Longest time without a byte',
    notIn: FOR_PROGRAMS,
  },
  processingLimitMs: {
    type: 'integer',
    unit: 'ms',
    min: 1,
    default: 24 * HOUR_MS,
    description: 'How long the service may process the file',
    notIn: FOR_PROGRAMS,
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
