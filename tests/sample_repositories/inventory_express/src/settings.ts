/** What an installation may set. */
export const settings = {
  port: Number(process.env.PORT ?? 8080),
  /** Rows on a page of items. */
  itemPageSize: 100,
  /** Rows on a page of stock movements. */
  movementPageSize: 100,
  /** Below this many pieces an item counts as running low, unless it says otherwise. */
  lowStockDefault: 5,
};
