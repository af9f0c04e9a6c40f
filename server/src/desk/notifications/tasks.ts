/** The due work of notifications. */
import type { DeskFeed } from '../../store/desk-feed.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { notedPlaces } from '../notes/records.ts'
import { mailStaff } from './mailing.ts'
import type { MailingApp } from './mailing.ts'
import { MAIL_TASK, TELL_TASK, tellStaff } from './telling.ts'

type NotificationsApp = Omit<MailingApp, 'places'>

/** Makes notifications of events; one for all workspaces. */
export const tellingTasks = (
  app: NotificationsApp,
  beside: readonly DeskFeed[],
): Record<string, TaskHandler> => {
  const places = notedPlaces(beside)
  return { [TELL_TASK]: () => tellStaff({ ...app, places }) }
}

/** What asks the mail server. */
export const notificationMailTasks = (
  app: NotificationsApp,
  beside: readonly DeskFeed[],
): Record<string, TaskHandler> => {
  const places = notedPlaces(beside)
  return { [MAIL_TASK]: (task) => mailStaff({ ...app, places }, task) }
}
