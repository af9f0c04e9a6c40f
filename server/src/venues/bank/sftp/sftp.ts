/** A transport over SFTP. Of what is sent and received, a copy stays in folders of ours. */
import type { Transport } from '../transport.ts'
import { openCollector } from './collector.ts'
import { openSftpOutbox } from './outbox.ts'
import { Sessions } from './session.ts'
import type { SftpSettings } from './settings.ts'

type Folders = { outbox_dir: string; inbox_dir: string }

export function openSftp(
  folders: Folders,
  settings: SftpSettings,
  report: (problem: string) => void,
): Transport {
  const sessions = new Sessions(settings)
  return {
    place: folders.outbox_dir,
    outbox: openSftpOutbox({ directory: folders.outbox_dir, remote: settings }, sessions),
    collect: openCollector({ directory: folders.inbox_dir, remote: settings }, sessions, report),
    close: () => sessions.close(),
  }
}
