/** Failed deliveries from before the report's period that appeared only after their own report. */
export interface LateRecords {
  /** Start of the searched range, ISO 8601. */
  readonly from: string;
  /** Exclusive: the start of the report's own period. */
  readonly to: string;
  readonly failed: number;
  /** By media, the most failures first. Null: records without media. */
  readonly media: readonly { readonly id: string | null; readonly failed: number }[];
}
