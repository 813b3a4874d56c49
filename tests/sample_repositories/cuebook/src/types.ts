export type Department = "light" | "sound" | "fly" | "spot";

export interface Production {
  id: string;
  title: string;
  venue?: string;
  opensOn?: string;
}

export interface Cue {
  id: string;
  productionId: string;
  number: string;
  department: Department;
  scene?: string;
  /** The line or the movement on which the cue is called. */
  trigger: string;
  /** Seconds from one state to the next. */
  fade?: number;
  /** Goes by itself with the cue before. */
  autofollow?: boolean;
  note?: string;
  createdBy: "book" | "paste" | "bridge";
}

export interface Run {
  id: string;
  productionId: string;
  kind: "tech" | "dress" | "show";
  startedAt: string;
}

export interface Call {
  runId: string;
  cueId: string;
  calledAt: string;
  late: boolean;
  caller?: string;
  remark?: string;
}
