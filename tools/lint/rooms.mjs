/** The code of workflows runs in Temporal's sandbox. */
const WORKFLOWS = {
  rooms: [
    'api',
    'temporal/contract',
    'temporal/failure',
    'temporal/application-failure',
    'temporal/metrics',
    'temporal/trace-header',
    'temporal/upload/workflow',
    'temporal/upload/workflow-steps',
    'temporal/workflows',
  ],
  types: ['temporal'],
  packages: ['@temporalio/workflow', '@temporalio/common'],
};

/**
 * The rooms: which room may import from which, and from which packages. The longest matching prefix decides. A room
 * may always import from itself. `types` may only be imported with `import type`, because such imports disappear at
 * run time.
 */
export const ROOMS = {
  api: { rooms: ['files'], packages: ['undici', 'luxon', 'content-disposition'], builtins: true },
  // Files and S3 objects that this package reads and writes: sources, manifests, results, reports.
  files: {
    rooms: [
      'api/advice',
      'api/errors',
      'api/json',
      'api/transport/certificate-issuer',
      'api/transport/proxies',
      'api/transport/tunnel',
      'api/transport/undici-failure',
    ],
    packages: ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'],
    builtins: true,
  },
  reports: { rooms: ['api'], packages: ['luxon', 'csv-stringify', 'echarts', 'mustache'] },
  manifest: { rooms: ['api', 'files'], packages: ['picomatch'], builtins: true },
  settings: {
    rooms: ['api', 'files', 'temporal/contract', 'temporal/codec'],
    packages: ['@temporalio/envconfig'],
    builtins: true,
  },

  'temporal/contract': { types: ['api', 'files', 'manifest', 'reports'] },
  // The files in a batch's folder. Activities, the client and commands read them.
  'temporal/batch': {
    rooms: ['api', 'files', 'manifest', 'temporal/contract', 'temporal/seal'],
    builtins: true,
  },
  'temporal/workflows': WORKFLOWS,
  'temporal/upload/workflow': WORKFLOWS,
  'temporal/upload/workflow-steps': WORKFLOWS,
  'temporal/upload/types': { types: ['api', 'temporal/contract'] },
  'temporal/client': {
    rooms: [
      'api',
      'files',
      'manifest',
      'temporal/batch',
      'temporal/codec',
      'temporal/contract',
      'temporal/failure',
      'temporal/seal',
      'temporal/upload/types',
      'temporal/worker-identity',
    ],
    packages: ['@temporalio/client', '@temporalio/common'],
    builtins: true,
  },
  temporal: {
    rooms: [
      'api',
      'reports',
      'files',
      'manifest',
      'temporal/batch',
      'temporal/client',
      'temporal/contract',
      'temporal/upload/types',
    ],
    packages: [
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/activity',
      '@temporalio/worker',
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      'croner',
      'nodemailer',
    ],
    builtins: true,
  },

  // What nodes and credentials share: a credential logs in with n8n's own HTTP helper, as the node does.
  n8n: { rooms: ['api', 'settings'], packages: ['n8n-workflow'], builtins: true },
  credentials: { rooms: ['api', 'n8n'], packages: ['n8n-workflow'] },
  nodes: {
    rooms: [
      'n8n',
      'api',
      'reports',
      'manifest',
      'files',
      'settings',
      'temporal/client',
      'temporal/contract',
      'temporal/sealed-url',
    ],
    packages: ['n8n-workflow'],
    builtins: true,
  },
  cli: {
    rooms: [
      'api',
      'reports',
      'files',
      'manifest',
      'settings',
      'simulator',
      'temporal/batch',
      'temporal/client',
      'temporal/contract',
      'temporal/failure',
      'temporal/schedules',
      'temporal/seal',
      'temporal/traces',
      'temporal/worker',
    ],
    packages: ['commander', 'string-width'],
    builtins: true,
  },
  // If the simulator shared our code, it would share our mistakes.
  simulator: { packages: ['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'], builtins: true },
};

/**
 * The room of a project path such as `api/upload/part-plan`. Undefined for paths outside of all rooms, such as tests.
 */
export function roomOf(path) {
  const names = Object.keys(ROOMS).filter((name) => isWithin(path, name));
  return names.sort((a, b) => b.length - a.length)[0];
}

/** Whether `path` is `folder`, a file of that name, or inside it. */
export function isWithin(path, folder) {
  return path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}.`);
}
