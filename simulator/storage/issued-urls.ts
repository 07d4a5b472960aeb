/** Lets URLs expire early. Both storages keep the signatures of the URLs that they issued. */
export class IssuedUrls {
  #generation = 0;
  #current = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(private readonly lifeMs: number) {}

  /**
   * Lifetime of a URL, one second longer after each `expire`. Otherwise two URLs of a part signed within one second
   * would be the same text, and the new one would have expired with the old one.
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
  return /[?&]X-(?:Amz|Goog)-Signature=([0-9a-f]+)/.exec(url)?.[1] ?? '';
}
