import { Injectable, Logger } from '@nestjs/common';
import { SMS_RETRIES } from '../config';

@Injectable()
export class SmsSender {
  private readonly logger = new Logger(SmsSender.name);

  /** Sends a text message to a telephone number. */
  async send(phone: string, text: string): Promise<boolean> {
    for (let attempt = 1; attempt <= SMS_RETRIES; attempt += 1) {
      const response = await fetch('https://sms.example.com/v1/messages', {
        method: 'POST',
        body: JSON.stringify({ to: phone, text: text.slice(0, 160) }),
      });
      if (response.ok) {
        return true;
      }
      this.logger.warn(`attempt ${attempt} failed with ${response.status}`);
    }
    return false;
  }
}
