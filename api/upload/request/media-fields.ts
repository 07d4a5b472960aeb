/**
 * The `media` object of an upload's start (api.md, "Upload start request: media object"). Unset fields are not sent; we
 * set no defaults.
 */
export interface MediaFields {
  /** Extension, in upper case as in the interface's table. */
  readonly fileType: string;
  /** 0 to 255 characters. */
  readonly creator?: string;
  readonly title?: string;
  /** Integer, ms. */
  readonly duration?: number;
  readonly resolution?: 'LOW' | 'NORMAL' | 'HIGH';
  readonly tags?: Readonly<Record<string, string>>;
  readonly insights?: { readonly isLibrary?: boolean; readonly includeInReport?: boolean };
}
