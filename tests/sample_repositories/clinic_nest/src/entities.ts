import { Column, Entity, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';

/** Somebody who is treated. */
@Entity()
export class Patient {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column()
  name!: string;

  @Column({ nullable: true })
  email?: string;

  @Column({ nullable: true })
  phone?: string;

  @Column({ default: 'en' })
  language!: string;

  @Column({ type: 'text', nullable: true })
  remarks?: string;

  @Column({ nullable: true })
  lastVisit?: Date;
}

/** A doctor, a nurse or a therapist. */
@Entity()
export class Practitioner {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column()
  name!: string;

  @Column()
  specialty!: string;

  @Column({ nullable: true })
  phone?: string;

  @Column({ default: true })
  active!: boolean;
}

/** A patient with a practitioner at a time. */
@Entity()
export class Appointment {
  @PrimaryGeneratedColumn()
  id!: number;

  @ManyToOne(() => Patient, { eager: true })
  patient!: Patient;

  @ManyToOne(() => Practitioner, { eager: true })
  practitioner!: Practitioner;

  @Column()
  startsAt!: Date;

  @Column({ default: 20 })
  minutes!: number;

  @Column({ default: 'booked' })
  status!: 'booked' | 'arrived' | 'done' | 'cancelled';

  @Column()
  code!: string;

  @Column({ type: 'text', nullable: true })
  remarks?: string;
}

/** Somebody who wants an earlier time. */
@Entity()
export class WaitingEntry {
  @PrimaryGeneratedColumn()
  id!: number;

  @ManyToOne(() => Patient, { eager: true })
  patient!: Patient;

  @Column()
  specialty!: string;

  @Column({ default: false })
  urgent!: boolean;
}

/** Who did what. */
@Entity()
export class AuditEntry {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column()
  what!: string;

  @Column()
  at!: Date;
}
