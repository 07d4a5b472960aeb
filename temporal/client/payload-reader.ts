import type { TemporalConnection } from './connect';

type Codec = TemporalConnection['client']['options']['loadedDataConverter']['payloadCodecs'][number];
type Payload = Parameters<Codec['decode']>[0][number];

/** The values of payloads, in their order. Rejects if a codec key is missing. */
export type PayloadReader = (payloads: Payload[]) => Promise<unknown[]>;

/**
 * Decodes payloads that the SDK returns undecoded (inputs and details of failures) with the codecs of this connection.
 */
export function payloadReader({ client }: Pick<TemporalConnection, 'client'>): PayloadReader {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  return async (payloads) => {
    let decoded = payloads;
    for (const codec of [...payloadCodecs].reverse()) decoded = await codec.decode(decoded);
    return decoded.map((payload) => payloadConverter.fromPayload<unknown>(payload));
  };
}
