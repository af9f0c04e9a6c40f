export { accountMailTasks } from './account-mails.ts'
export { eventsEndpoints } from './events.http.ts'
export { nextEvents } from './follow.ts'
export { mailFigures } from './mail-figures.ts'
export { MAILED_TYPES } from './mail-texts.ts'
export { mailFault, openMailer } from './mailer.ts'
export type { MailConfiguration, Mailer } from './mailer.ts'
export {
  amountText,
  dayText,
  figureText,
  inOneLine,
  shortReference,
  shortTimeText,
  timeText,
  valueDateText,
} from './mail-words.ts'
export type { Reader as MailReader } from './mail-words.ts'
export { mailTasks, WRITE_TASK } from './mails.ts'
export { permissionOfEvent, readableTypes } from './readers.ts'
export { watchEvents } from './watch.ts'
export type { EventWatch } from './watch.ts'
