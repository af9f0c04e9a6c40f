/** Where heads are signed, and where they go. */
import { join } from 'node:path'
import { ofCaller, UsageError } from '../core/usage.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The folder that gets the heads, and the file of the key that signs them. */
export type HeadsPlace = { folder: string; key: string }

/**
 * KONTOR_HEADS names the folder, KONTOR_HEADS_KEY the file of the key; else they lie in DATA_DIR.
 * Undefined where one of the two has no place.
 */
export function headsPlaceFrom({
  KONTOR_HEADS: heads,
  KONTOR_HEADS_KEY: file,
  DATA_DIR: data,
}: Environment): HeadsPlace | undefined {
  const folder = heads || (data ? join(data, 'heads') : undefined)
  const key = file || (data ? join(data, 'heads.key') : undefined)
  if (folder === undefined || key === undefined) return undefined
  return { folder: ofCaller(folder), key: ofCaller(key) }
}

/** KONTOR_HEADS_MAIL: addresses that get each head by mail, divided by commas. */
export function headRecipientsFrom({
  KONTOR_HEADS_MAIL: mail,
  KONTOR_SMTP_URL: server,
}: Environment): string[] {
  const addresses = (mail ?? '').split(',').flatMap((address) => address.trim() || [])
  const wrong = addresses.find((address) => !/^[^\s@]+@[^\s@]+$/.test(address))
  if (wrong !== undefined)
    throw new UsageError(`KONTOR_HEADS_MAIL takes e-mail addresses, and not ${wrong}`)
  if (addresses.length > 0 && !server)
    throw new UsageError('KONTOR_HEADS_MAIL needs a mail server: set KONTOR_SMTP_URL')
  return [...new Set(addresses)]
}
