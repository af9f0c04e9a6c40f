/** For whom a paper is written, and what all papers have. */
import { logoFile, settingsOf, workspaceName } from '../access/index.ts'
import type { Brand, MailLanguage } from '../access/index.ts'
import type { CustomerId, WorkspaceId } from '../core/ids.ts'
import { customerById } from '../customers/index.ts'
import type { Customer } from '../customers/index.ts'
import { timeText } from '../events/index.ts'
import type { MailReader } from '../events/index.ts'
import { assetsOf } from '../ledger/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Db } from '../store/db.ts'
import { Sheet } from './sheet.ts'
import type { Sender } from './sheet.ts'
import { WORDS } from './words.ts'
import type { Words } from './words.ts'

export type PapersApp = { db: Db; clock: Clock }

/** Who reads the paper, in which words, and whose paper it is. */
export type Addressee = {
  reader: MailReader
  words: Words
  sender: Sender
  /** Absent where no customer is concerned. */
  customer: Customer | undefined
}

/** Of whom a paper tells, and the language that was asked for. */
type About = { customer_id: CustomerId | null; language: MailLanguage | undefined }

/**
 * In the language that was asked for. Else a customer reads as in mails; where there is none, the
 * language is the workspace's, as the zone always is.
 */
export async function addresseeOf(
  { db }: PapersApp,
  workspace: WorkspaceId,
  { customer_id, language: asked }: About,
): Promise<Addressee> {
  const [settings, assets, name, customer] = await Promise.all([
    settingsOf(db, workspace),
    assetsOf(db, workspace),
    workspaceName(db, workspace),
    customer_id === null ? undefined : customerById(db, workspace, customer_id),
  ])
  const language = asked ?? customer?.language ?? settings.mail_language
  const time_zone = customer?.time_zone ?? settings.mail_time_zone
  return {
    reader: { language, time_zone, assets },
    words: WORDS[language],
    sender: await senderOf(db, workspace, { name, ...settings.brand }),
    customer,
  }
}

/** A logo as SVG is only for browsers: what writes papers draws none. */
async function senderOf(
  db: Db,
  workspace: WorkspaceId,
  { name, legal_name, address = [], contact = [], accent, logo }: Brand & { name: string },
): Promise<Sender> {
  const drawn = logo?.endsWith('.png') === true ? logo : undefined
  return {
    name,
    lines: [legal_name ?? '', ...address, ...contact].filter((line) => line !== ''),
    accent,
    logo: drawn === undefined ? undefined : (await logoFile(db, workspace, drawn)).content,
  }
}

export async function openSheet(
  { reader, words, sender }: Addressee,
  { title, wide = false, now }: { title: string; wide?: boolean; now: number },
): Promise<Sheet> {
  const foot = [sender.name, words.made(timeText(now, reader)), words.times(reader.time_zone)]
  const sheet = await Sheet.open({
    title: `${title} · ${sender.name}`,
    language: reader.language,
    wide,
    foot: foot.join(' · '),
    words,
    now,
  })
  sheet.head(sender, title)
  return sheet
}
