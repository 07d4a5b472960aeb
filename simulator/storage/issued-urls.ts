/** Lets URLs expire before their time: both storages keep the signatures of the URLs they issued. */
export class IssuedUrls {
  #generation = 0;
  #current = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(private readonly lifeMs: number) {}

  /**
   * A URL's life. A second longer after each `expire`, since two URLs of one part that are signed within one second would
   * else be the same text, and the new one as expired as the old.
   */
  lifeSeconds(): number {
    return Math.ceil(this.lifeMs / 1000) + this.#generation;
  }

  note(url: string): string {
    this.#current.add(signatureIn(url));
    return url;
  }

  expire(): void {
    for (const signature of this.#current) this.#ended.add(signature);
    this.#current = new Set();
    this.#generation += 1;
  }

  isEnded(target: string): boolean {
    return this.#ended.has(signatureIn(target));
  }
}

function signatureIn(url: string): string {
  return /[?&]X-Amz-Signature=([0-9a-f]+)/.exec(url)?.[1] ?? '';
}
