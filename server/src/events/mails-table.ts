/** What those who write mails and those who send them share. */
import type { Clock } from '../core/clock.ts'
import type { Db } from '../store/db.ts'
import { columnsOf, tableOf } from '../store/rows.ts'
import type { Mailer } from './mailer.ts'
import { MailRecord } from './mails.schema.ts'

export type MailsApp = {
  db: Db
  clock: Clock
  mailer: Mailer | undefined
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void }
}

export const SEND_TASK = 'send_mail'
export const WORKER = 'mail'

export const MAILS = tableOf('mails', MailRecord)
export const MAIL_COLUMNS = columnsOf(MailRecord)
