import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import type { SimulatorOptions } from '../../../simulator/options';
import type { Simulator } from '../../../simulator/start-simulator';
import { startSimulator } from '../../../simulator/start-simulator';
import { afterTest } from '../../support/after-test';
import { credentialOf } from './credential';
import { runNode } from './run-workflow';
import type { NodeRun } from './run-workflow';
import { useOpened } from './use-opened';

/** A simulator with its own storage, and nothing else. */
export interface ServiceSetting {
  readonly simulator: Simulator;
  readonly credentials: { readonly mediaServiceApi: ICredentialDataDecryptedObject };
  run(parameters: INodeParameters, more?: Partial<NodeRun>): ReturnType<typeof runNode>;
  close(): Promise<void>;
}

export const useService = (options: SimulatorOptions = {}): ServiceSetting =>
  useOpened(() => openService(options));

/** Another one, for one test. */
export async function ownService(options: SimulatorOptions = {}): Promise<ServiceSetting> {
  const opened = await openService(options);
  afterTest(() => opened.close());
  return opened;
}

async function openService(options: SimulatorOptions): Promise<ServiceSetting> {
  const simulator = await startSimulator(options);
  const credentials = { mediaServiceApi: credentialOf(simulator) };
  return {
    simulator,
    credentials,
    run: (parameters, more = {}) => runNode({ parameters, credentials, ...more }),
    close: () => simulator.close(),
  };
}
