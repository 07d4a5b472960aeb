import type { IExecuteFunctions } from 'n8n-workflow';
import type { RetryingService } from '../../api/service/service';
import { openService } from './access/open-service';
import type { OpenedService } from './access/open-service';
import { openTemporal, temporalCredential } from './access/temporal-access';
import type { TemporalAccess } from './access/temporal-access';
import { executionTrace } from './execution-trace';

/** One run of the node: what its operations share. Opened at the first use and closed together. */
export interface NodeExecution {
  readonly context: IExecuteFunctions;
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** The account of the item's credential. */
  readonly service: (itemIndex: number) => Promise<RetryingService>;
  /** If no Temporal credential is chosen, rejects with an error that says what to do. */
  readonly temporal: (itemIndex: number) => Promise<TemporalAccess>;
  readonly close: () => Promise<void>;
}

export function openExecution(context: IExecuteFunctions): NodeExecution {
  const services = new Map<string, OpenedService>();
  const temporals = new Map<string, Promise<TemporalAccess>>();
  // Everything that an execution starts is one trace. The workers decide whether to keep it.
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
      services.forEach(({ release }) => release());
      for (const opened of await Promise.allSettled(temporals.values())) {
        if (opened.status === 'fulfilled') await opened.value.connection.close();
      }
    },
  };
}

/**
 * Identifies this run of the node. A node in a loop runs several times within one execution. A retry of the node must
 * find what it began, while n8n's retry of an execution has a new number. Without an execution id (unsaved manual
 * runs), the current time replaces it.
 */
export function executionKeyOf(context: IExecuteFunctions, itemIndex: number): string {
  const execution: unknown = context.getExecutionId();
  const run: unknown = context.evaluateExpression('{{ $runIndex }}', itemIndex);
  const name = typeof execution === 'string' && execution !== '' ? execution : `manual-${Date.now()}`;
  return [name, context.getNode().id, String(run)].join('-');
}
