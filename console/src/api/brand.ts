/** How the workspace shows itself: the one of the login page, then that of who has logged in. */
import { useSyncExternalStore } from 'react'
import type { DataOf } from '@kontor/client'
import { client } from './session.ts'

type Brand = DataOf<'get', '/brand'>

const NONE: Brand = { name: null, accent: null, logo: null }
/** Of a login page that finds no service, the user soon hears more. */
const LOGIN_MILLISECONDS = 5_000

let shown: Brand = NONE
const listeners = new Set<() => void>()

const subscribe = (notify: () => void): (() => void) => {
  listeners.add(notify)
  return () => {
    listeners.delete(notify)
  }
}

export const useBrand = (): Brand => useSyncExternalStore(subscribe, () => shown)

export function showBrand(brand: Brand): void {
  if (JSON.stringify(brand) === JSON.stringify(shown)) return
  shown = brand
  for (const notify of listeners) notify()
}

/** Before anybody has logged in. Where it cannot be read, Kontor shows itself. */
export async function readLoginBrand(): Promise<void> {
  const response = await fetch('/api/brand', { signal: AbortSignal.timeout(LOGIN_MILLISECONDS) })
  if (!response.ok) throw new Error('there is no brand')
  showBrand(((await response.json()) as { data: Brand }).data)
}

/** The address of the logo before anybody has logged in. */
export const LOGIN_LOGO = '/api/brand/logo'

const pictures = new Map<string, Promise<string>>()

/** A kept logo as a data URL: pictures are fetched without the token. */
export function logoPicture(logo: string): Promise<string> {
  const known = pictures.get(logo)
  if (known !== undefined) return known
  const read = readPicture(logo)
  pictures.set(logo, read)
  read.catch(() => pictures.delete(logo))
  return read
}

async function readPicture(logo: string): Promise<string> {
  const accept = logo.endsWith('.svg') ? 'image/svg+xml' : 'image/png'
  const response = await client().open('/brand/logos/{logo}', { params: { logo }, accept })
  return dataUrlOf(await response.blob(), accept)
}

/** The file as text, of this type whatever the browser takes it for. */
export function dataUrlOf(file: Blob, type: string): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      done(`data:${type};base64,${String(reader.result).split(',')[1] ?? ''}`)
    })
    reader.addEventListener('error', () => {
      failed(reader.error ?? new Error('the file could not be read'))
    })
    reader.readAsDataURL(file)
  })
}
