import { CommandFactory } from 'nest-commander';
import { AppModule } from './app.module';

void CommandFactory.run(AppModule, ['warn', 'error']);
