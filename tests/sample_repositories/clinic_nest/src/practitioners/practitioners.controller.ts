import { Body, Controller, Get, Param, ParseIntPipe, Put, Query } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsBoolean } from 'class-validator';
import { Repository } from 'typeorm';
import { AuditService } from '../audit/audit.service';
import { Practitioner } from '../entities';

export class SetActiveDto {
  @IsBoolean()
  active!: boolean;
}

/** Doctors, nurses and therapists. */
@Controller('practitioners')
export class PractitionersController {
  constructor(
    @InjectRepository(Practitioner) private readonly practitioners: Repository<Practitioner>,
    private readonly audit: AuditService,
  ) {}

  @Get()
  list(@Query('specialty') specialty?: string): Promise<Practitioner[]> {
    return this.practitioners.findBy({ active: true, specialty });
  }

  @Put(':id/active')
  async setActive(@Param('id', ParseIntPipe) id: number, @Body() body: SetActiveDto): Promise<void> {
    await this.audit.log(`practitioner ${id} active: ${body.active}`);
    await this.practitioners.update(id, { active: body.active });
  }
}
