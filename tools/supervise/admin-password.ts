/** The administrator's first password, and how it is shown. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Prepared } from '../../server/src/preparation.ts'

export type AdminPassword = {
  value: string | undefined
  howToLogIn(prepared: Prepared): string
  shown(): Promise<void>
}

/**
 * The first password is made here and lies in a closed file until it has been shown: a first start
 * that is killed before that does not lose it.
 */
export async function adminPassword(dataDir: string): Promise<AdminPassword> {
  const fromOperator = process.env['KONTOR_ADMIN_PASSWORD'] || undefined
  const marker = join(dataDir, 'admin-password-shown')
  const file = join(dataDir, 'admin-password')
  let first: string | undefined
  let again = false
  if (fromOperator === undefined && !existsSync(marker)) {
    again = existsSync(file)
    first = again ? await readFile(file, 'utf8') : randomBytes(15).toString('base64url')
    if (!again) await writeFile(file, first, { mode: 0o600, flush: true })
  }
  return {
    value: fromOperator ?? first,
    howToLogIn({ email, created, generated }) {
      const who = `log in as ${email}`
      if (fromOperator !== undefined) return `${who} with KONTOR_ADMIN_PASSWORD`
      // An operator's own database may hold an administrator from elsewhere, whose password is not
      // the one made here.
      const isFirst = created || (again && !process.env['DATABASE_URL'])
      const password = generated ?? (isFirst ? first : undefined)
      return password === undefined
        ? `${who}; the password was shown at the first start`
        : `${who} with the password ${password} (shown only this once)`
    },
    async shown() {
      await writeFile(marker, '')
      await rm(file, { force: true })
    },
  }
}
