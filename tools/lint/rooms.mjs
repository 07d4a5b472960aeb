/** Words that every room may use. */
const TYPES = [
  'temporal/upload/types',
  'temporal/batch/types',
  'temporal/batch/ids',
  'temporal/batch/counts',
  'temporal/batch/pause-reasons',
  'temporal/reports/types',
  'temporal/waits/types',
];
const WORKFLOW_FILES = [
  'temporal/workflow',
  'temporal/upload/workflow',
  'temporal/upload/workflow-steps',
  'temporal/batch/workflow',
  'temporal/reports/workflow',
  'temporal/waits/workflow',
  'temporal/telemetry/workflow',
];
/** What starts, lists and controls uploads, batches and schedules. */
const CLIENT_FILES = [
  'temporal/client',
  'temporal/upload/client',
  'temporal/batch/client',
  'temporal/waits/client',
];

/** The code of workflows runs in Temporal's sandbox. */
const WORKFLOWS = {
  rooms: [
    'api',
    ...TYPES,
    'temporal/failure',
    'temporal/application-failure',
    'temporal/metrics',
    ...WORKFLOW_FILES,
  ],
  types: ['temporal', 'reports'],
  packages: ['@temporalio/workflow', '@temporalio/common'],
};

/** Node's modules that touch neither disk nor process. */
const NO_FILES = [
  'node:buffer',
  'node:crypto',
  'node:diagnostics_channel',
  'node:dns/promises',
  'node:http',
  'node:https',
  'node:net',
  'node:stream',
  'node:tls',
];

const each = (names, room) => Object.fromEntries(names.map((name) => [name, room]));

/**
 * The rooms: which room may import from which. The longest matching prefix decides. A room may always import from
 * itself. `types` may only be imported with `import type`, because such imports disappear at run time. `builtins`: all
 * of Node's modules, or those of a list. `packages`: only these; unset: any.
 */
export const ROOMS = {
  // The client of the service and the upload engine. It knows no files.
  api: { packages: ['undici', 'luxon', 'content-disposition'], builtins: NO_FILES },
  // Files and S3 objects that this package reads and writes: sources, manifests, results, reports.
  files: { rooms: ['api'], builtins: true },
  // What the package exports to TypeScript: the client with the sources of this machine.
  client: { rooms: ['api', 'files'], builtins: true },
  reports: { rooms: ['api'] },
  manifest: { rooms: ['api', 'files'], builtins: true },
  settings: {
    rooms: ['api', 'files', 'temporal/codec', 'temporal/upload/types'],
    types: ['temporal/client/temporal-network'],
    builtins: true,
  },

  ...each(TYPES, {
    rooms: ['api', ...TYPES],
    types: ['files', 'manifest', 'reports'],
    packages: ['@temporalio/common'],
  }),
  // The files in a batch's folder. Activities, the client and commands read them.
  'temporal/batch/files': {
    rooms: ['api', 'files', 'manifest', ...TYPES, 'temporal/seal'],
    builtins: true,
  },
  ...each(WORKFLOW_FILES, WORKFLOWS),
  ...each(CLIENT_FILES, {
    rooms: [
      'api',
      'files',
      'manifest',
      ...TYPES,
      ...CLIENT_FILES,
      'temporal/batch/files',
      'temporal/codec',
      'temporal/failure',
      'temporal/seal',
      'temporal/worker-identity',
    ],
    builtins: true,
  }),
  temporal: {
    rooms: ['api', 'reports', 'files', 'manifest', ...TYPES, ...CLIENT_FILES, 'temporal/batch/files'],
    builtins: true,
  },

  // The HTTP door. It decides nothing: what starts, lists and controls uploads is in the client.
  gateway: {
    rooms: [
      'api',
      'files',
      'manifest',
      ...TYPES,
      ...CLIENT_FILES,
      'temporal/batch/files',
      'temporal/failure',
      'temporal/codec',
      'temporal/seal',
      'temporal/waits',
      'temporal/worker',
    ],
    builtins: true,
  },

  // What nodes and credentials share: a credential logs in with n8n's own HTTP helper, as the node does.
  n8n: { rooms: ['api'], packages: ['n8n-workflow'], builtins: ['node:crypto'] },
  credentials: { rooms: ['api', 'n8n'], packages: ['n8n-workflow'] },
  nodes: { rooms: ['n8n', 'api', 'reports'], packages: ['n8n-workflow'], builtins: ['node:crypto'] },
  cli: {
    rooms: [
      'api',
      'reports',
      'files',
      'manifest',
      'settings',
      'simulator',
      'gateway',
      ...TYPES,
      ...CLIENT_FILES,
      'temporal/batch/files',
      'temporal/failure',
      'temporal/reports/client',
      'temporal/seal',
      'temporal/worker',
      'temporal/worker-identity',
    ],
    builtins: true,
  },
  // If the simulator shared our code, it would share our mistakes.
  simulator: { builtins: true },
};

export const TOP_ROOMS = [...new Set(Object.keys(ROOMS).map((room) => room.split('/')[0]))];
