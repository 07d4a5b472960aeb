import { resolve } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { loadOutputSchema } from 'n8n-core/dist/nodes-loader/output-schema-resolver';
import { isJsonObject } from '../../../api/json';

const NODE_DIR = resolve(__dirname, '..', '..', '..', 'nodes', 'MediaService');

/**
 * The fields that the editor shows for an operation before its first run, with their types, found as n8n finds them.
 */
export function schemaOf(resource: string, operation: string): Record<string, unknown> | undefined {
  const schema = loadOutputSchema({ nodeDir: NODE_DIR, version: '1', resource, operation });
  const properties: unknown = schema?.['properties'];
  if (!isJsonObject(properties)) return undefined;
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      isJsonObject(field) ? field['type'] : undefined,
    ]),
  );
}

/** The fields of a real output with their types. */
export function typesOf(json: IDataObject): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, typeOf(value)]));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
