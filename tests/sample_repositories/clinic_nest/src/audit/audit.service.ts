import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditEntry } from '../entities';

@Injectable()
export class AuditService {
  constructor(@InjectRepository(AuditEntry) private readonly entries: Repository<AuditEntry>) {}

  /** The law wants a line for whatever is done with data of patients. */
  async log(what: string): Promise<void> {
    await this.entries.save(this.entries.create({ what, at: new Date() }));
  }
}
