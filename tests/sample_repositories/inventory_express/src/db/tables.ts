/** A thing we keep, by its stock keeping unit. */
export interface Item {
  sku: string;
  name: string;
  barcode?: string;
  supplierId?: number;
  lowStock?: number;
  discontinued: boolean;
}

/** A building with shelves. */
export interface Warehouse {
  id: number;
  name: string;
  city: string;
  contact?: string;
  closed: boolean;
}

/** Somebody we buy from. */
export interface Supplier {
  id: number;
  name: string;
  contact?: string;
  leadDays: number;
}

/** Pieces that came or went, and why. */
export interface Movement {
  id: number;
  sku: string;
  warehouseId: number;
  pieces: number;
  reason: string;
  at: Date;
}

/** Goods a supplier has announced. */
export interface Delivery {
  id: number;
  supplierId: number;
  warehouseId: number;
  expectedOn: string;
  lines: { sku: string; pieces: number }[];
  receivedAt?: Date;
}

/** Goods on their way from one warehouse to another. */
export interface Transfer {
  id: number;
  fromId: number;
  toId: number;
  sku: string;
  pieces: number;
  completedAt?: Date;
}
