import type { IExecuteFunctions } from 'n8n-workflow';
import type { Service } from '../../api/service/service';
import { openService } from './access/open-service';
import type { OpenedService } from './access/open-service';
import { openTemporal, temporalCredential } from './access/temporal-access';
import type { TemporalAccess } from './access/temporal-access';
import { executionTrace } from './execution-trace';

/** One run of the node: what its operations share, opened when first needed and closed together. */
export interface NodeExecution {
  readonly context: IExecuteFunctions;
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** The account of the item's credential. */
  readonly service: (itemIndex: number) => Promise<Service>;
  /** Rejects with what to do where no Temporal credential is chosen. */
  readonly temporal: (itemIndex: number) => Promise<TemporalAccess>;
  readonly close: () => Promise<void>;
}

export function openExecution(context: IExecuteFunctions): NodeExecution {
  const services = new Map<string, OpenedService>();
  const temporals = new Map<string, Promise<TemporalAccess>>();
  // What an execution starts is one trace; whether anybody keeps it is the workers' choice.
  const traceparent = executionTrace(context);
  return {
    context,
    signal: context.getExecutionCancelSignal(),
    async service(itemIndex) {
      const data = await context.getCredentials<Record<string, unknown>>('mediaServiceApi', itemIndex);
      const key = JSON.stringify({ ...data, accessToken: '' });
      const opened = services.get(key) ?? openService(context.helpers, data);
      services.set(key, opened);
      return opened.service;
    },
    async temporal(itemIndex) {
      const data = await temporalCredential(context, itemIndex);
      const key = JSON.stringify(data);
      const opened = temporals.get(key) ?? openTemporal(data, { traceparent });
      temporals.set(key, opened);
      return opened;
    },
    async close() {
      services.forEach(({ giveBack }) => giveBack());
      for (const opened of await Promise.allSettled(temporals.values())) {
        if (opened.status === 'fulfilled') await opened.value.connection.close();
      }
    },
  };
}
