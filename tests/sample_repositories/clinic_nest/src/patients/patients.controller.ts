import { Body, Controller, Get, Param, ParseIntPipe, Patch, Query } from '@nestjs/common';
import { AuditService } from '../audit/audit.service';
import { Patient } from '../entities';
import { UpdatePatientDto } from './dto/update-patient.dto';
import { PatientsService } from './patients.service';

@Controller('patients')
export class PatientsController {
  constructor(
    private readonly patients: PatientsService,
    private readonly audit: AuditService,
  ) {}

  @Get()
  async list(@Query('name') name = ''): Promise<Patient[]> {
    await this.audit.log('list patients');
    return this.patients.search(name);
  }

  @Get(':id')
  async read(@Param('id', ParseIntPipe) id: number): Promise<Patient> {
    await this.audit.log(`read patient ${id}`);
    return this.patients.one(id);
  }

  @Patch(':id')
  async update(@Param('id', ParseIntPipe) id: number, @Body() changes: UpdatePatientDto): Promise<Patient> {
    await this.audit.log(`update patient ${id}`);
    return this.patients.update(id, changes);
  }
}
