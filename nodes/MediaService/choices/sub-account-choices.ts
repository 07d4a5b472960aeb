import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { createDeliveryReader } from '../../../api/webhooks/delivery-fields';
import { searchDeliveries } from '../../../api/webhooks/delivery-search';
import { choicesOf, loadChoices, requireChoices } from './load-choices';

const DAYS = 30;
const SAMPLE = 1000;

/** Sub-accounts from a sample of recent webhook deliveries, because the service has no call that lists them. */
export async function searchSubAccounts(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  return loadChoices(this, async (service) => {
    const { items } = await searchDeliveries(service, { from: `-${DAYS}d` }, { size: SAMPLE });
    const reader = createDeliveryReader();
    const seen = new Set(items.flatMap((record) => reader.text(record, 'subAccount') ?? []));
    const subAccounts = requireChoices(this, seen, {
      what: 'sub-account',
      where: `the webhook deliveries of the last ${DAYS} days`,
      way: 'Choose "By ID" and type the ID.',
    });
    return { results: choicesOf(subAccounts, filter) };
  });
}
