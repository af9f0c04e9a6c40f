/** The PostgreSQL that comes with Kontor, with its settings, for those that need one. */
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../server/src/store/embedded.ts'

/** Formance and Blnk take more connections than Kontor does. */
const CONNECTIONS = '300'

export type Database = { url: string; end(): Promise<void> }

export async function startPostgres(folder: string, name: string): Promise<Database> {
  const server = await startEmbedded({
    dir: join(folder, 'postgres'),
    settings: { max_connections: CONNECTIONS },
  })
  try {
    const client = new pg.Client({ connectionString: server.superUrl })
    await client.connect()
    await client.query(`create database ${pg.escapeIdentifier(name)}`)
    await client.end()
  } catch (error) {
    await server.stop()
    throw error
  }
  const url = new URL(server.superUrl)
  url.pathname = `/${name}`
  url.searchParams.set('sslmode', 'disable')
  return { url: url.href, end: server.stop }
}
