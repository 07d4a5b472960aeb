import type { OptionTable } from './option';

const KIB = 1024;

/** How a batch uploads its rows. Named as the fields of `BatchOptions`. */
export const BATCH_OPTIONS = {
  parallelUploads: {
    type: 'integer',
    min: 1,
    max: 2000,
    default: 256,
    description: 'Rows that are uploaded at once, over all workers; a large file counts as four',
    flag: '--parallel-uploads <n>',
  },
  maxFailures: {
    type: 'integer',
    min: 1,
    description: 'Pause when this number of rows has failed',
    notIn: { command: '`--max-failures` takes a number or a percentage' },
  },
  maxFailureRate: {
    type: 'number',
    exclusiveMin: 0,
    max: 1,
    description: 'Pause when this share of the ended rows has failed, checked from 20 ended rows on',
    notIn: { command: '`--max-failures` takes a number or a percentage' },
  },
  maxSameFailures: {
    type: 'integer',
    min: 0,
    max: 500,
    default: 10,
    description: 'Pause when this number of rows has failed for one reason and none was completed; 0: never',
    flag: '--max-same-failures <n>',
  },
  sourceHost: {
    type: 'text',
    description: 'The machine that has the paths; otherwise every worker mounts them',
    notIn: { command: 'its own machine, or `--shared-path`', n8n: 'the field Worker Host' },
  },
  sourceFolder: {
    type: 'text',
    description: 'The folder of relative paths in the manifest',
    notIn: { command: '`--folder`' },
  },
  sourceSecret: {
    type: 'text',
    description: 'Name of the worker secret with headers for http(s) sources',
    flag: '--source-secret <name>',
  },
  uploadChanged: {
    type: 'boolean',
    default: false,
    description: 'Upload completed rows again whose files have changed; otherwise they fail',
    flag: '--upload-changed',
  },
  skipBad: {
    type: 'boolean',
    default: false,
    description: 'Wrong rows end as failed, and the others are uploaded; otherwise nothing starts',
    flag: '--skip-bad',
    notIn: { n8n: 'wrong items are refused together, and can be filtered before' },
  },
  pageRows: { type: 'integer', min: 1, max: 1000, internal: true, description: 'Rows of a page' },
  smallFileBytes: {
    type: 'integer',
    unit: 'bytes',
    min: 0,
    default: 64 * KIB * KIB,
    internal: true,
    description: 'A page uploads files up to this size itself',
  },
} as const satisfies OptionTable;
