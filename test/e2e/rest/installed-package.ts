import { expect, test } from '@jest/globals';
import { NODE_TYPE } from '../support/n8n-stage';
import type { OnStage } from '../support/n8n-stage';

interface Listed {
  readonly name: string;
  readonly credentials?: readonly { readonly name: string }[];
  readonly iconUrl?: { readonly light: string; readonly dark: string };
}

export function describeInstalledPackage(on: OnStage): void {
  const listed = async (path: string): Promise<Listed[]> => {
    const types = (await (await on.stage.n8n.rest.fetch(path)).json()) as Listed[];
    return types.filter(({ name }) => /^(n8n-nodes-media|mediaService)/.test(name));
  };

  test('the installed package adds its nodes to the editor, each with both credentials', async () => {
    const types = await listed('/types/nodes.json');
    const names = types.map(({ name, credentials = [] }) => [name, credentials.map((one) => one.name)]);
    const both = ['mediaServiceApi', 'mediaServiceWorkerApi'];
    const nodes = [NODE_TYPE, `${NODE_TYPE}Tool`, `${NODE_TYPE}Trigger`];
    expect(names).toEqual(expect.arrayContaining(nodes.map((name) => [name, both])));
    const credentials = await listed('/types/credentials.json');
    expect(credentials.map(({ name }) => name).sort()).toEqual(both);
  });
}
