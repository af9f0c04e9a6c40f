/**
 * Logos: what may be one, and where they are kept. Each is kept by its content, so a setting, its
 * history and its events only name it.
 */
import { createHash } from 'node:crypto'
import { notFound, refuse } from '../core/errors.ts'
import { id, closed, text, Type } from '../http/index.ts'
import type { FileAnswer } from '../http/index.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { MAXIMUM_LOGO_BYTES } from './brand.schema.ts'
import { faultOfPng } from './png.ts'
import { faultOfSvg } from './svg.ts'

export const LOGO_TYPES = ['image/png', 'image/svg+xml'] as const
type LogoType = (typeof LOGO_TYPES)[number]

const LOGOS = tableOf(
  'brand_logos',
  closed({
    workspace: id<WorkspaceId>(),
    name: text(),
    content: Type.Unsafe<Buffer>({ ...text(), 'x-column': 'bytea' }),
  }),
)

const ENDINGS: Readonly<Record<LogoType, string>> = { 'image/png': 'png', 'image/svg+xml': 'svg' }
const FAULTS: Readonly<Record<LogoType, (content: Buffer) => string | undefined>> = {
  'image/png': faultOfPng,
  'image/svg+xml': faultOfSvg,
}
const KEPT = /^[0-9a-f]{64}\.(png|svg)$/
const NEW = /^data:(image\/png|image\/svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/

/** By the ending of its name. */
export const logoType = (name: string): LogoType | undefined =>
  LOGO_TYPES.find((type) => name.toLowerCase().endsWith(`.${ENDINGS[type]}`))

/** The logo as a setting names it: one that is kept, or a new one, which is kept by this. */
export async function keptLogo(
  tx: Tx,
  workspace: WorkspaceId,
  { logo, path }: { logo: string; path: string },
): Promise<string> {
  if (KEPT.test(logo)) {
    if (!(await isKept(tx, workspace, logo)))
      throw refuse('NOT_FOUND', path, `${path}: no such logo`)
    return logo
  }
  const { type, content } = newLogo(logo, path)
  const name = `${createHash('sha256').update(content).digest('hex')}.${ENDINGS[type]}`
  await tx.query(sql`
    ${insertRow(LOGOS, { workspace, name, content }, { by: null, now: 0 })}
    on conflict do nothing`)
  return name
}

/** Throws FORMAT, TOO_LARGE or CONFLICT (not what it says). */
function newLogo(logo: string, path: string): { type: LogoType; content: Buffer } {
  const [, type, encoded = ''] = NEW.exec(logo) ?? []
  const content = Buffer.from(encoded, 'base64')
  if (type === undefined || content.toString('base64') !== encoded)
    throw refuse('FORMAT', path, `${path} must be a PNG or SVG as data:image/png;base64,…`)
  assertLogo(content, type as LogoType, path)
  return { type: type as LogoType, content }
}

/** Throws TOO_LARGE, or CONFLICT where it is not what its type says. */
export function assertLogo(content: Buffer, type: LogoType, path: string): void {
  if (content.length > MAXIMUM_LOGO_BYTES)
    throw refuse('TOO_LARGE', path, `${path} has at most ${MAXIMUM_LOGO_BYTES} bytes`)
  const fault = FAULTS[type](content)
  if (fault !== undefined) throw refuse('CONFLICT', path, `${path} ${fault}`)
}

/** As settings take a new one. */
export const logoAsText = (content: Buffer, type: LogoType): string =>
  `data:${type};base64,${content.toString('base64')}`

const isKept = async (reader: Reader, workspace: WorkspaceId, name: string): Promise<boolean> =>
  (await contentOf(reader, workspace, name)) !== undefined

async function contentOf(
  reader: Reader,
  workspace: WorkspaceId,
  name: string,
): Promise<Buffer | undefined> {
  const row = only(
    await reader.query<{ content: Buffer }>(sql`
      select content
      from brand_logos
      where workspace = ${workspace}
        and name = ${name}`),
  )
  return row?.content
}

/** Throws 4004. */
export async function logoFile(
  reader: Reader,
  workspace: WorkspaceId,
  name: string,
): Promise<FileAnswer> {
  const content = KEPT.test(name) ? await contentOf(reader, workspace, name) : undefined
  const media_type = logoType(name)
  if (content === undefined || media_type === undefined) throw notFound('logo', name, 'logo')
  return { name, content, picture: media_type }
}
