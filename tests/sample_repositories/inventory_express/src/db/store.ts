import type { Delivery, Item, Movement, Supplier, Transfer, Warehouse } from './tables.js';

/** Rows in memory; the database driver has the same face. */
export class Table<Row> {
  private readonly rows: Row[] = [];

  all(): Row[] {
    return [...this.rows];
  }

  find(matches: (row: Row) => boolean): Row | undefined {
    return this.rows.find(matches);
  }

  filter(matches: (row: Row) => boolean): Row[] {
    return this.rows.filter(matches);
  }

  insert(row: Row): Row {
    this.rows.push(row);
    return row;
  }

  nextId(): number {
    return this.rows.length + 1;
  }
}

export const items = new Table<Item>();
export const warehouses = new Table<Warehouse>();
export const suppliers = new Table<Supplier>();
export const movements = new Table<Movement>();
export const deliveries = new Table<Delivery>();
export const transfers = new Table<Transfer>();
