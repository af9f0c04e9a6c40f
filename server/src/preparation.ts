/**
 * Makes a database ready for the service: its schema and, on an empty one, the first user. It is a
 * process of its own that ends before the service starts. So the service knows neither the owner of
 * the tables nor the first password.
 */
import { systemClock } from './core/clock.ts'
import { ApiError } from './core/errors.ts'
import { exitWithParent } from './core/parent.ts'
import { UsageError, wordsOf } from './core/usage.ts'
import type { firstStart, FirstUser } from './first-start.ts'
import { openDb } from './store/db.ts'
import type { Db, Reader } from './store/db.ts'
import { migrate, schemaFault, serviceRole } from './store/migrate.ts'
import { provideServiceLogin } from './store/service-login.ts'
import { sql } from './store/sql.ts'

const ADMIN_EMAIL = 'admin@kontor.local'

type Preparation = {
  /** The service's login. */
  url: string
  /** Owns the tables, or will. */
  ownerUrl: string
  admin: FirstUser
}

export type Prepared = {
  email: string
  /** False where there was a user already. */
  created: boolean
  /** Of a user that was created without one. */
  generated?: string | undefined
  /** It has venues: somebody has applied a configuration. */
  configured: boolean
}

/** KONTOR_ADMIN_EMAIL and KONTOR_ADMIN_PASSWORD: the first user. */
export const firstUserFrom = (env: Readonly<Record<string, string | undefined>>): FirstUser => ({
  email: env['KONTOR_ADMIN_EMAIL'] || ADMIN_EMAIL,
  password: env['KONTOR_ADMIN_PASSWORD'] || undefined,
})

/** Throws a UsageError when the first password is refused. */
export async function prepare({ url, ownerUrl, admin }: Preparation): Promise<Prepared> {
  const variable = ownerUrl === url ? 'DATABASE_URL' : 'KONTOR_OWNER_DATABASE_URL'
  await migrate(ownerUrl, { variable })
  if (ownerUrl !== url) await provideServiceLogin(ownerUrl, url)
  const role = await serviceRole(url)
  const db = openDb({ url, maximumConnections: 1, ...(role === undefined ? {} : { role }) })
  try {
    const first = (await hasBegun(db)) ? undefined : await begin(db, admin)
    return {
      email: admin.email,
      created: first !== undefined,
      generated: first?.password,
      configured: await isConfigured(db),
    }
  } catch (error) {
    throw error instanceof ApiError ? new UsageError(error.message) : error
  } finally {
    await db.close()
  }
}

async function isConfigured(reader: Reader): Promise<boolean> {
  const [found] = await reader.query<{ configured: boolean }>(sql`
    select exists (select from venues) as configured`)
  return found?.configured === true
}

/** Loads what every other start does without: all of them wait for this process. */
async function begin(db: Db, admin: FirstUser): ReturnType<typeof firstStart> {
  const { firstStart: start } = await import('./first-start.ts')
  return start({ db, clock: systemClock }, admin)
}

/** There is a user, and every workspace has its books. */
async function hasBegun(reader: Reader): Promise<boolean> {
  const [found] = await reader.query<{ begun: boolean }>(sql`
    select exists (select from users)
      and not exists (
        select
        from workspaces
        where not exists (select from lanes where lanes.workspace = workspaces.id)
      ) as begun`)
  return found?.begun === true
}

/** Why the service cannot start on this database. */
export async function startFault(reader: Reader): Promise<string | undefined> {
  const fault = await schemaFault(reader)
  if (fault !== undefined) return fault
  return (await hasBegun(reader))
    ? undefined
    : 'this database has no user yet: npm run migrate makes the first one'
}

/** Started by the supervisor, which reads what it says and shows a password once. */
async function main(): Promise<void> {
  const { DATABASE_URL: url = '', KONTOR_OWNER_DATABASE_URL: ownerUrl = url } = process.env
  const prepared = await prepare({ url, ownerUrl, admin: firstUserFrom(process.env) })
  process.stdout.write(`${JSON.stringify(prepared)}\n`)
}

if (import.meta.main) {
  exitWithParent(() => process.exit(1))
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`kontor: ${wordsOf(error)}\n`)
      process.exit(1)
    },
  )
}
