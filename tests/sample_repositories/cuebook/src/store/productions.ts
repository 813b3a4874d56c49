import type { Production } from "../types.js";
import { data, save } from "./file.js";

export const all = (): Production[] => data.productions;

export const find = (id: string): Production | undefined => data.productions.find((one) => one.id === id);

export const isClosed = (id: string): boolean => data.closed.includes(id);

export function add(production: Production): void {
  data.productions.push(production);
  save();
}
