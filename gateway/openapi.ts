import { packageVersion } from '../temporal/worker/package-version';
import type { Route } from './route';
import type { Schema } from './schemas';
import { COMPONENTS, ref, text } from './schemas';

/** The OpenAPI document of these routes, made from the schemas that check requests. */
export function openApiOf(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Media Service worker',
      version: packageVersion(),
      description: 'Starts, controls and awaits durable uploads and batches of files to the Media Service.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: COMPONENTS,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(route: Route): object {
  const { operationId, summary, right, path, query = {}, required = [], body, answer } = route;
  const id = { name: 'id', in: 'path', required: true, schema: text('An id; write its slashes as %2F') };
  const parameters = [
    ...(path.includes('{id}') ? [id] : []),
    ...Object.entries(query).map(([name, schema]) => ({
      ...{ name, in: 'query', required: required.includes(name), schema },
    })),
  ];
  const content = body === 'stream' ? { 'application/octet-stream': {} } : jsonOf(body);
  const bodies = body === undefined ? {} : { requestBody: { required: true, content } };
  return {
    ...{ operationId, summary, description: `Needs a token with the right to ${right}.`, parameters },
    ...bodies,
    responses: {
      '2XX': { description: 'Done', content: answer === 'lines' ? LINES : jsonOf(ref(answer)) },
      default: { description: 'It failed; 429 and 503 have Retry-After', content: jsonOf(ref('Error')) },
    },
  };
}

const LINES = {
  'application/x-ndjson': { schema: { type: 'string' } },
  'text/csv': { schema: { type: 'string' } },
};
const jsonOf = (schema?: Schema): object => ({ 'application/json': { schema } });
