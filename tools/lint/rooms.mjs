/**
 * The house: which room may import from which, and from which packages. The longest matching prefix decides; a room may
 * always import from itself. `types` may be imported with `import type` only: they leave nothing at run time.
 */
export const ROOMS = {
  api: { packages: ['undici', 'luxon', '@aws-sdk/client-s3', '@aws-sdk/lib-storage'], builtins: true },
  reports: { rooms: ['api'], packages: ['luxon', 'csv-stringify', 'echarts', 'mustache'] },
  // Files and objects that are ours to read and write: manifests, accounts, reports.
  places: { rooms: ['api'], builtins: true },
  manifest: { rooms: ['api', 'places'], packages: ['music-metadata', 'picomatch'], builtins: true },
  settings: {
    rooms: ['api', 'places', 'temporal/contract', 'temporal/codec'],
    packages: ['@temporalio/envconfig'],
    builtins: true,
  },

  'temporal/contract': { types: ['api', 'places', 'reports'] },
  'temporal/workflows': {
    rooms: ['api', 'temporal/contract', 'temporal/failure', 'temporal/application-failure'],
    types: ['temporal'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  'temporal/client': {
    rooms: ['api', 'places', 'manifest', 'temporal'],
    packages: ['@temporalio/client', '@temporalio/common'],
    builtins: true,
  },
  temporal: {
    rooms: ['api', 'reports', 'places', 'manifest', 'temporal/client', 'temporal/contract'],
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
      'prom-client',
    ],
    builtins: true,
  },

  // A credential logs in over n8n's own HTTP helper, as the node does.
  credentials: {
    rooms: [
      'api',
      'nodes/MediaService/access',
      'nodes/MediaService/error-words',
      'nodes/MediaService/n8n-transport',
    ],
    packages: ['n8n-workflow'],
  },
  nodes: {
    rooms: [
      'api',
      'reports',
      'manifest',
      'places',
      'settings',
      'temporal/client',
      'temporal/contract',
      'temporal/seal',
    ],
    packages: ['n8n-workflow'],
    builtins: true,
  },
  cli: {
    rooms: ['api', 'reports', 'places', 'manifest', 'settings', 'simulator', 'temporal'],
    packages: ['commander', 'string-width'],
    builtins: true,
  },
  // A stand-in that shared our code would share our mistakes.
  simulator: { packages: ['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'], builtins: true },
};

/** The room of a project path as `api/upload/part-plan`; undefined outside the house, as in tests. */
export function roomOf(path) {
  const names = Object.keys(ROOMS).filter((name) => isWithin(path, name));
  return names.sort((a, b) => b.length - a.length)[0];
}

/** Whether `path` is `folder`, a file of that name, or lies below. */
export function isWithin(path, folder) {
  return path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}.`);
}
