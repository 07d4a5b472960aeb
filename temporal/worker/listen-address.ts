import { networkInterfaces } from 'node:os';
import { ConfigurationError } from '../../api/errors';

/** The host value for all addresses of this machine, IPv4 and IPv6. */
export const ALL_INTERFACES = '*';
export const LOOPBACK = '127.0.0.1';

/** Where a worker answers. */
export interface ListenAddress {
  /** An IP address of this machine, or `ALL_INTERFACES`. */
  readonly host: string;
  readonly port: number;
}

/** As `127.0.0.1:9464` or `[::1]:9464`, which Temporal's core expects. */
export function socketAddress({ host, port }: ListenAddress): string {
  const ip = host === ALL_INTERFACES ? (hasIpv6() ? '::' : '0.0.0.0') : host;
  return `${ip.includes(':') ? `[${ip}]` : ip}:${String(port)}`;
}

/** `::` also takes IPv4, but can't be opened where IPv6 is turned off. */
function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((one) => one?.some(({ family }) => family === 'IPv6'));
}

const IN_USE = /EADDRINUSE|address (?:already )?in use/i;
const WRONG_HOST =
  /EADDRNOTAVAIL|EAFNOSUPPORT|EAI_AGAIN|EINVAL|ENOTFOUND|cannot assign requested|address family|socket address/i;

/** Why an address can't be opened, and what to do. `setting`: its name in `WorkerConfig`. */
export function listenError(
  setting: 'health' | 'metrics',
  address: ListenAddress,
  { message }: Error,
): ConfigurationError {
  const problem = IN_USE.test(message)
    ? 'the port is in use'
    : WRONG_HOST.test(message)
      ? 'this is not an address of this machine'
      : message;
  return new ConfigurationError(
    setting,
    `The address ${address.host}:${String(address.port)} for ${setting} can't be opened: ${problem}.`,
    { remedy: { kind: 'choose-listen-address', setting } },
  );
}
