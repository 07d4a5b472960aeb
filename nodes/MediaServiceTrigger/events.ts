import type { IPollFunctions } from 'n8n-workflow';
import { accountId } from '../../api/account';
import { MINUTE_MS } from '../../api/clock';
import { MediaServiceError, ValidationError, wrongField } from '../../api/errors';
import { given, textAt } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { MAX_PAGE_SIZE, readAgainIfFewer } from '../../api/pages/each-page';
import type { Service } from '../../api/service/service';
import { createDeliveryReader } from '../../api/webhooks/delivery-fields';
import type { DeliveryQuery } from '../../api/webhooks/delivery-query';
import { DELIVERY_OPTIONS } from '../../api/options/search-options';
import { eachDeliveryPage } from '../../api/webhooks/delivery-search';
import { parseWhen, readMoment } from '../../api/when';
import { n8nClock } from '../../n8n/n8n-clock';
import { workerOf } from '../MediaService/access/door';
import { openService } from '../MediaService/access/service';
import { shownFields } from '../MediaService/await-end';
import { filterOf } from '../MediaService/media/search.operation';
import { optionValues } from '../MediaService/option-fields';
import { mediaJson } from '../MediaService/output';
import { booleanField, numberField, recordOf, textField } from '../MediaService/parameters';
import { DELIVERY_FILTERS } from '../MediaService/webhookDelivery/delivery-parameters';
import { shortId } from './cursor';
import { periodEvent } from './period-event';
import type { PollSettings, TriggerEvent } from './period-event';
import type { PeriodSource } from './poll-period';
import { DEFAULT_OVERLAP_MINUTES, MAX_OVERLAP_MINUTES } from './trigger-form';
import { newMedia } from './new-media';

/** Approximately. The next polls continue from there. */
const MAX_NEW_ITEMS = 5_000;
/** At most about 3 MB of static data, which n8n writes to its database with every event. */
const MAX_SEEN = 100_000;
/** n8n abandons a poll after its time budget. The poll ends earlier, so that its items are kept. */
const SHARE_OF_BUDGET = 0.8;
/** n8n reports no budget before version 2.39. */
const DEFAULT_BUDGET_MS = 120_000;

/** Opens the event that the trigger's parameters choose. */
export async function openEvent(context: IPollFunctions): Promise<TriggerEvent> {
  const event: unknown = context.getNodeParameter('event');
  const older: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>> = context;
  const budgetMs = older.getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
  const settings = settingsOf(context, AbortSignal.timeout(Math.floor(budgetMs * SHARE_OF_BUDGET)));
  switch (event) {
    case 'deliveryFailed':
    case 'delivery':
      return newDeliveries(await serviceOf(context), deliveryFilterOf(context, event), settings);
    case 'batchFinished':
      return endedOnWorkers(context, 'batches', settings);
    case 'uploadFinished':
      return endedOnWorkers(context, 'uploads', settings);
    case 'media':
      return openMedia(context, settings);
    default:
      throw new ValidationError('event', `This trigger has no event "${String(event)}"`);
  }
}

async function serviceOf(context: IPollFunctions): Promise<Service> {
  return openService(context.helpers, await context.getCredentials('mediaServiceApi'));
}

function optionsOf(context: IPollFunctions): Readonly<Record<string, unknown>> {
  return recordOf(context.getNodeParameter('options', {}));
}

/** Start, overlap and limits of events that are found by their time. */
function settingsOf(context: IPollFunctions, signal: AbortSignal): PollSettings {
  const options = optionsOf(context);
  const startFrom = textField(options['startFrom'], 'startFrom') ?? 'now';
  const now = n8nClock.now();
  const zone = context.getTimezone();
  const start =
    startFrom.toLowerCase() === 'now'
      ? {}
      : { startAt: Date.parse(parseWhen(startFrom, { now, zone, field: 'Start From' })) };
  if (start.startAt !== undefined && start.startAt > now) {
    throw wrongField('startFrom', 'is in the future', 'Enter a past date, or now.');
  }
  const overlapMinutes = numberField(options['overlapMinutes'], 'overlapMinutes') ?? DEFAULT_OVERLAP_MINUTES;
  if (overlapMinutes < 1 || overlapMinutes > MAX_OVERLAP_MINUTES) {
    const problem = `is ${overlapMinutes}: it must be from 1 to ${MAX_OVERLAP_MINUTES}`;
    throw wrongField('overlapMinutes', problem);
  }
  return {
    ...start,
    startFrom,
    overlapMs: overlapMinutes * MINUTE_MS,
    maxNewItems: MAX_NEW_ITEMS,
    maxSeen: MAX_SEEN,
    now: () => n8nClock.now(),
    signal,
  };
}

/**
 * The account's uploads or batches that ended on workers, whoever started them. A batch that is started again is
 * reported again, and one that did not complete says why. Reads Temporal's index, which lags by seconds.
 */
async function endedOnWorkers(
  context: IPollFunctions,
  what: 'batches' | 'uploads',
  settings: PollSettings,
): Promise<TriggerEvent> {
  const { signal } = settings;
  const door = await workerOf(context, { what: 'This event', todo: 'Choose one in this node.', signal });
  return periodEvent(
    {
      async read({ from, to }, maxItems) {
        const period = { endedFrom: new Date(from).toISOString(), endedTo: new Date(to).toISOString() };
        const ended = await door.list(`/v1/${what}`, period, maxItems + 1);
        if (ended.length > maxItems) return 'tooMany';
        const found = ended.map((one) => {
          const [id = '', endedAt = ''] = ['id', 'endedAt'].map((name) => textAt(one, [name]));
          return { id: shortId(`${id} ${endedAt}`), at: Date.parse(endedAt), value: shownFields(one) };
        });
        return { found };
      },
    },
    settings,
    { worker: door.url },
  );
}

type DeliveryFilter = Omit<DeliveryQuery, 'from' | 'to'> & { readonly idField?: string };

function deliveryFilterOf(context: IPollFunctions, event: 'deliveryFailed' | 'delivery'): DeliveryFilter {
  const filters = recordOf(context.getNodeParameter('filters', {}));
  return given({
    ...optionValues(filters, DELIVERY_OPTIONS, DELIVERY_FILTERS),
    ...(event === 'deliveryFailed' ? { status: ['FAILED'] as const } : {}),
    idField: textField(optionsOf(context)['idField'], 'idField'),
  });
}

/** Webhook deliveries since the previous poll. api.md, "GET {base_url}/api/webhook/search". */
function newDeliveries(
  service: Service,
  { idField, ...filter }: DeliveryFilter,
  settings: PollSettings,
): TriggerEvent {
  const reader = createDeliveryReader(given({ id: idField }));
  const source: PeriodSource<JsonObject> = {
    read({ from, to }, maxItems, signal) {
      const query = { ...filter, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      let serviceNow: number | undefined;
      const dated: Service = {
        ...service,
        async call(call) {
          const answer = await service.call(call);
          serviceNow ??= readMoment(answer.headers['date']);
          return answer;
        },
      };
      return readAgainIfFewer(async () => {
        const records = new Map<string, JsonObject>();
        for await (const page of eachDeliveryPage(dated, query, { size: MAX_PAGE_SIZE, signal })) {
          for (const record of page.items) records.set(shortId(reader.identity(record)), record);
          if (Math.max(records.size, page.totalElements ?? 0) > maxItems) return 'tooMany';
        }
        if (idField !== undefined && ![...records.values()].some((one) => reader.has(one, 'id')))
          refuseMissing(idField, records.values().next().value);
        const found = [...records].map(([id, value]) => ({ id, at: reader.sentAt(value), value }));
        return { found, ...given({ serviceNow }) };
      });
    },
  };
  return periodEvent(source, settings, {
    account: accountId(service.account),
    ...given({ ...filter, status: filter.status === undefined ? undefined : [...filter.status] }),
    id: idField ?? null,
  });
}

/** If no delivery has the field, its name is mistyped. Without its id, a changed delivery would count as new. */
function refuseMissing(idField: string, first: JsonObject | undefined): void {
  if (first === undefined) return;
  throw new MediaServiceError('UnreadableAnswer', `None of the deliveries has a field "${idField}"`, {
    hint: `Name another field in the option "ID Field", or leave it empty. The fields are: ${Object.keys(first).join(', ').slice(0, 300)}.`,
  });
}

async function openMedia(context: IPollFunctions, settings: PollSettings): Promise<TriggerEvent> {
  const filter = filterOf(recordOf(context.getNodeParameter('filters', {})));
  const idField = textField(optionsOf(context)['idField'], 'idField');
  const simplify = booleanField(context.getNodeParameter('simplify', true), 'simplify') ?? true;
  const present = (media: JsonObject): JsonObject => mediaJson(media, simplify);
  const { maxNewItems: limit, signal } = settings;
  return newMedia(await serviceOf(context), { filter, idField, present, limit, signal });
}
