import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AppointmentsService } from '../appointments/appointments.service';
import { Appointment, WaitingEntry } from '../entities';

@Injectable()
export class WaitingListService {
  constructor(
    @InjectRepository(WaitingEntry) private readonly entries: Repository<WaitingEntry>,
    private readonly appointments: AppointmentsService,
  ) {}

  all(): Promise<WaitingEntry[]> {
    return this.entries.find({ order: { urgent: 'DESC', id: 'ASC' } });
  }

  async add(patientId: number, specialty: string, urgent: boolean): Promise<WaitingEntry> {
    return this.entries.save(this.entries.create({ patient: { id: patientId }, specialty, urgent }));
  }

  /** Turns a wish into an appointment. */
  async promote(id: number, practitionerId: number, startsAt: Date): Promise<Appointment> {
    const entry = await this.entries.findOneByOrFail({ id });
    const booked = await this.appointments.book({ patientId: entry.patient.id, practitionerId, startsAt, minutes: 20 });
    await this.entries.remove(entry);
    return booked;
  }
}
