/**
 * The login of the service on an operator's server. The owner of the tables makes it where it is
 * not there yet. The server gets a verifier, so no log of statements has the password.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { UsageError } from '../core/usage.ts'
import { sqlState } from './db.ts'
import { connectTo } from './login.ts'

const LOGIN = /^postgres(?:ql)?:\/\/([^:@/]+):([^@/]+)@/
const ITERATIONS = 4_096
const SALT_BYTES = 16
const KEY_BYTES = 32
const MAY_NOT = '42501'

/** Answers the name of the login, if it was made. Throws a UsageError where the owner may not. */
export async function provideServiceLogin(
  ownerUrl: string,
  url: string,
): Promise<string | undefined> {
  const [, encodedName, encodedPassword] = LOGIN.exec(url) ?? []
  if (encodedName === undefined || encodedPassword === undefined) return undefined
  const [name, password] = [encodedName, encodedPassword].map(decodeURIComponent) as [
    string,
    string,
  ]
  const client = await connectTo(ownerUrl, 'KONTOR_OWNER_DATABASE_URL')
  try {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
    if (rowCount !== 0) return undefined
    const verifier = client.escapeLiteral(verifierOf(password))
    await client.query(
      `create role ${client.escapeIdentifier(name)} login password ${verifier} in role kontor`,
    )
    return name
  } catch (error) {
    if (sqlState(error) !== MAY_NOT) throw error
    throw new UsageError(
      `KONTOR_OWNER_DATABASE_URL: the owner may make no logins, and there is no ${name}: ` +
        `create role "${name}" login password '…' in role kontor (docs/operations.md, Database)`,
      { cause: error },
    )
  } finally {
    await client.end()
  }
}

/** As PostgreSQL keeps it for SCRAM-SHA-256 (RFC 5802). */
function verifierOf(password: string): string {
  const salt = randomBytes(SALT_BYTES)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, 'sha256')
  const keyFor = (use: string) => createHmac('sha256', salted).update(use).digest()
  const stored = createHash('sha256').update(keyFor('Client Key')).digest('base64')
  const server = keyFor('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`
}
