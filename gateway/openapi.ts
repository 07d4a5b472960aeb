import { packageVersion } from '../temporal/worker/package-version';
import type { Route, Schema } from './route';
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
  const { operationId, summary, right, path, query = {}, required = [], body, answers } = route;
  const id = { name: 'id', in: 'path', required: true, schema: text('An id; write its slashes as %2F') };
  const parameters = [
    ...(path.includes('{id}') ? [id] : []),
    ...Object.entries(query).map(([name, schema]) => ({
      ...{ name, in: 'query', required: required.includes(name), schema },
    })),
  ];
  const content =
    body === 'stream' ? { 'application/octet-stream': {} } : { 'application/json': { schema: body } };
  const bodies = body === undefined ? {} : { requestBody: { required: true, content } };
  return {
    ...{ operationId, summary, description: `Needs a token with the right to ${right}.`, parameters },
    ...bodies,
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, schema]) => [status, answerOf(schema)])),
      default: {
        description: 'It failed; 429 and 503 have Retry-After',
        content: { 'application/json': { schema: ref('Error') } },
      },
    },
  };
}

/** JSON, or text with a line for each row. */
function answerOf(schema: Schema): object {
  const types = schema['type'] === 'string' ? ['application/x-ndjson', 'text/csv'] : ['application/json'];
  return { description: 'Done', content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}
