/** Failed deliveries that were sent before the report's window and appeared only after the report that they belong to. */
export interface LateRecords {
  /** Where they were looked for, ISO 8601. */
  readonly from: string;
  /** Exclusive: where the report's own window begins. */
  readonly to: string;
  readonly failed: number;
  /** By media, the most first; null: those that name none. */
  readonly media: readonly { readonly id: string | null; readonly failed: number }[];
}
