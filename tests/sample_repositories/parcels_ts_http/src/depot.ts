/** A parcel, and the clerk who moved it last. */
export interface Parcel {
  number: number;
  state: string;
  clerk?: string;
}

/** The parcels, by their number. */
export class Depot {
  private readonly parcels = new Map<number, Parcel>();

  add(number: number): Parcel {
    const parcel = { number, state: "in the depot" };
    this.parcels.set(number, parcel);
    return parcel;
  }

  find(number: number): Parcel | undefined {
    return this.parcels.get(number);
  }

  list(state?: string): Parcel[] {
    return [...this.parcels.values()].filter((parcel) => state === undefined || parcel.state === state);
  }
}
