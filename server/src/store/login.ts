/** The first connection with a login of the operator's, and why there is none. */
import pg from 'pg'
import { UsageError } from '../core/usage.ts'
import { Servers } from './servers.ts'

const CONNECT_MILLISECONDS = 10_000
const ADDRESS = /^postgres(?:ql)?:\/\/./

/** Without limits of time: migrations may take long. Throws a UsageError naming the variable. */
export async function connectTo(address: string, variable = 'DATABASE_URL'): Promise<pg.Client> {
  if (!ADDRESS.test(address))
    throw new UsageError(
      `${variable} must be an address such as postgres://user:password@host:5432/kontor`,
    )
  try {
    const client = new pg.Client({
      connectionString: await new Servers(address).url(),
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
    })
    await client.connect()
    return client
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${variable}: ${connectionFault(error)}`, { cause: error })
  }
}

/** Never the address as a whole: it may hold a password. */
function connectionFault(error: unknown): string {
  const { code = '', message } = first(error)
  const { address, port, hostname } = first(error)
  const place = port === undefined ? (address ?? 'that address') : `${address}:${port}`
  switch (code) {
    case 'ERR_INVALID_URL':
      return 'it is no address: characters such as @ and / in a password are written as %40 and %2F'
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `no PostgreSQL listens at ${place}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${hostname ?? ''} is not known here`
    case '28P01':
    case '28000':
      return `the server does not let this login in: ${message}`
    case '3D000':
      return `${message} there: create it first (create database kontor)`
    default:
      return `the database cannot be reached: ${message || code}`
  }
}

type Failure = NodeJS.ErrnoException & { hostname?: string; address?: string; port?: number }

/** Of the addresses that a name has, each may have failed. */
function first(error: unknown): Failure {
  const [one] = error instanceof AggregateError ? (error.errors as Failure[]) : []
  return one ?? (error as Failure)
}
