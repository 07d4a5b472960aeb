import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Service } from '../../../api/service/service';
import { openService } from '../access/open-service';
import { nodeErrorOf } from '../node-error';

/**
 * Asks the service for the choices of a field in the editor. Errors say what happened and what to do, as in a run.
 * Shares tokens with the runs.
 */
export async function loadChoices(
  context: ILoadOptionsFunctions,
  load: (service: Service) => Promise<INodeListSearchResult>,
): Promise<INodeListSearchResult> {
  const releases: (() => void)[] = [];
  const loading = async (): Promise<INodeListSearchResult> => {
    const data = await context.getCredentials<Record<string, unknown>>('mediaServiceApi');
    const { service, release } = openService(context.helpers, data);
    releases.push(release);
    return load(service);
  };
  return loading()
    .catch((error: unknown) => {
      throw nodeErrorOf(context.getNode(), error);
    })
    .finally(() => releases.forEach((release) => release()));
}

/** The found values in alphabetical order, filtered by the typed text. */
export function choicesOf(seen: Iterable<string>, typed = ''): INodeListSearchItems[] {
  const wanted = typed.trim().toLowerCase();
  return [...new Set(seen)]
    .filter((value) => value.toLowerCase().includes(wanted))
    .sort((a, b) => a.localeCompare(b))
    .map((value) => ({ name: value, value }));
}

/** An error instead of an empty list, which would look as if nothing existed, although nothing could be found out. */
export function requireChoices(
  context: ILoadOptionsFunctions,
  seen: ReadonlySet<string>,
  { what, where, way }: { readonly what: string; readonly where: string; readonly way: string },
): ReadonlySet<string> {
  if (seen.size > 0) return seen;
  throw new NodeOperationError(context.getNode(), `No ${what} was found in ${where}`, {
    description: way,
  });
}
