import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { ILike, LessThan, Repository } from 'typeorm';
import { Patient } from '../entities';
import { UpdatePatientDto } from './dto/update-patient.dto';

@Injectable()
export class PatientsService {
  constructor(@InjectRepository(Patient) private readonly patients: Repository<Patient>) {}

  search(name: string): Promise<Patient[]> {
    return this.patients.find({ where: { name: ILike(`%${name}%`) }, order: { name: 'ASC' } });
  }

  async one(id: number): Promise<Patient> {
    const patient = await this.patients.findOneBy({ id });
    if (!patient) {
      throw new NotFoundException(`there is no patient ${id}`);
    }
    return patient;
  }

  async knownOrNew(email: string, name: string): Promise<Patient> {
    return (await this.patients.findOneBy({ email })) ?? this.patients.save(this.patients.create({ email, name }));
  }

  async update(id: number, changes: UpdatePatientDto): Promise<Patient> {
    return this.patients.save({ ...(await this.one(id)), ...changes });
  }

  notSeenSince(day: Date): Promise<Patient[]> {
    return this.patients.findBy({ lastVisit: LessThan(day) });
  }
}
