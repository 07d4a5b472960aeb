import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { Service } from '../../../api/service/service';
import { openService } from '../access/open-service';
import { nodeErrorOf } from '../node-error';

/**
 * Asks the service, on behalf of the editor, for what can be chosen. An error says what happened and what to do, as it would in a run;
 * tokens are shared with the runs.
 */
export async function loadChoices(
  context: ILoadOptionsFunctions,
  load: (service: Service) => Promise<INodeListSearchResult>,
): Promise<INodeListSearchResult> {
  const giveBacks: (() => void)[] = [];
  const loading = async (): Promise<INodeListSearchResult> => {
    const data = await context.getCredentials<Record<string, unknown>>('mediaServiceApi');
    const { service, giveBack } = openService(context.helpers, data);
    giveBacks.push(giveBack);
    return load(service);
  };
  return loading()
    .catch((error: unknown) => {
      throw nodeErrorOf(context.getNode(), error);
    })
    .finally(() => giveBacks.forEach((giveBack) => giveBack()));
}

/** What was seen, in alphabetical order, narrowed to what holds the text that was typed. */
export function choicesOf(seen: Iterable<string>, typed = ''): INodeListSearchItems[] {
  const wanted = typed.trim().toLowerCase();
  return [...new Set(seen)]
    .filter((value) => value.toLowerCase().includes(wanted))
    .sort((a, b) => a.localeCompare(b))
    .map((value) => ({ name: value, value }));
}

/** An empty list would look as if there were nothing; here nothing could be told. */
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
