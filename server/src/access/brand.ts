/** The brand of a workspace: kept as a setting, and read by the console, papers and mails. */
import { notFound, refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { FileAnswer } from '../http/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Brand, ShownBrand } from './brand.schema.ts'
import { keptLogo, logoFile } from './logos.ts'
import { assertOneLine } from './one-line.ts'

const COLOUR = /^#[0-9a-f]{6}$/i

/** Lines are lines, and the colour is one. Throws 3001. */
export function assertBrand(brand: Brand, path: string): void {
  const { name, legal_name, address = [], contact = [], accent } = brand
  const lines = [
    ['name', name],
    ['legal_name', legal_name],
    ...address.map((line, index) => [`address[${index}]`, line] as const),
    ...contact.map((line, index) => [`contact[${index}]`, line] as const),
  ] as const
  for (const [field, line] of lines) assertOneLine(line, `${path}.${field}`)
  if (accent !== undefined && !COLOUR.test(accent))
    throw refuse(
      'FORMAT',
      `${path}.accent`,
      `${path}.accent must be a colour such as #0b57a4: six digits from 0 to f`,
    )
}

/** The brand with a logo that is kept; a new one is kept by this. Throws 3001. */
export async function keptBrand(
  tx: Tx,
  workspace: WorkspaceId,
  { brand, path }: { brand: Brand; path: string },
): Promise<Brand> {
  const { logo } = brand
  if (logo === undefined) return brand
  return { ...brand, logo: await keptLogo(tx, workspace, { logo, path: `${path}.logo` }) }
}

export const shownBrand = ({ name, accent, logo }: Brand): ShownBrand => ({
  name: name ?? null,
  accent: accent ?? null,
  logo: logo ?? null,
})

/**
 * Whose brand is shown to who has not logged in: that of the only workspace. Where there are
 * several none is shown, so that nobody learns who else is here.
 */
async function onlyBrand(
  reader: Reader,
): Promise<{ workspace: WorkspaceId; brand: Brand } | undefined> {
  const rows = await reader.query<{ workspace: WorkspaceId; brand: Brand | null }>(sql`
    select id as workspace, settings -> 'brand' as brand
    from workspaces
    limit 2`)
  const [row, other] = rows
  if (row === undefined || other !== undefined) return undefined
  return { workspace: row.workspace, brand: row.brand ?? {} }
}

export async function loginBrand(reader: Reader): Promise<ShownBrand> {
  return shownBrand((await onlyBrand(reader))?.brand ?? {})
}

/** Throws 4004. */
export async function loginLogo(reader: Reader): Promise<FileAnswer> {
  const found = await onlyBrand(reader)
  const logo = found?.brand.logo
  if (found === undefined || logo === undefined) throw notFound('logo', '', 'logo')
  return logoFile(reader, found.workspace, logo)
}
