/** Where an embedded server stands: its folder, its port and passwords, and its addresses. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './ports.ts'

export type Place = {
  dir: string
  say: (line: string) => void
  durable: boolean
  /** Beside those that every server has. */
  settings: Readonly<Record<string, string>>
  /** Waits for the first login as long as it takes. */
  isPatient: boolean
}

export type Secrets = { port: number; superuser: string; owner: string; service: string }

export const DATABASE = 'kontor'
export const OWNER = 'kontor_owner'
export const SERVICE = 'kontor'

export const clusterFolder = (place: Place): string => join(place.dir, 'cluster')
export const socketFolder = (dir: string): string => join(dir, 'socket')
export const socketPath = (dir: string, port: number): string =>
  join(socketFolder(dir), `.s.PGSQL.${port}`)

export async function loadSecrets(place: Place): Promise<Secrets> {
  const path = join(place.dir, 'secrets.json')
  if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as Secrets
  const secret = (): string => randomBytes(24).toString('base64url')
  const secrets = {
    port: await freePort(),
    superuser: secret(),
    owner: secret(),
    service: secret(),
  }
  await saveSecrets(place, secrets)
  return secrets
}

export async function saveSecrets(place: Place, secrets: Secrets): Promise<void> {
  const path = join(place.dir, 'secrets.json')
  await writeFile(`${path}.new`, JSON.stringify(secrets), { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
}

type Login = { user: string; password: string; database: string }

/** Through the socket where there is one. */
function urlOf(dir: string, { port }: Secrets, { user, password, database }: Login): string {
  const host = existsSync(socketPath(dir, port))
    ? `?host=${encodeURIComponent(socketFolder(dir))}`
    : ''
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}${host}`
}

export function superUrl(dir: string, secrets: Secrets): string {
  return urlOf(dir, secrets, {
    user: 'postgres',
    password: secrets.superuser,
    database: 'postgres',
  })
}

/** Database `kontor` as its owner, or as the service. */
export function databaseUrl(dir: string, secrets: Secrets, as: 'owner' | 'service'): string {
  return urlOf(dir, secrets, {
    user: as === 'owner' ? OWNER : SERVICE,
    password: secrets[as],
    database: DATABASE,
  })
}

/** Of the server that runs in `dir`, or has run there: database `kontor` as the service. */
export function serviceUrlOf(dir: string): string {
  return databaseUrl(dir, readSecrets(dir), 'service')
}

const readSecrets = (dir: string): Secrets =>
  JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')) as Secrets

/** Of the server that runs in `dir`: its database `postgres` as superuser. */
export function superuserUrl(dir: string): string {
  return superUrl(dir, readSecrets(dir))
}
