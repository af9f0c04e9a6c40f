/** The logo that a configuration file names. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { assertLogo, logoAsText, logoType } from '../access/index.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import type { Config } from './configuration.schema.ts'

const PATH = 'settings.brand.logo'

/** With the file itself in the place of its path, as the setting takes it. */
export async function withLogo(
  config: Config,
  folder: string,
): Promise<{ config: Config; faults: readonly ErrorDetail[] }> {
  const { settings } = config
  const logo = settings?.brand?.logo
  if (settings === undefined || logo === undefined) return { config, faults: [] }
  try {
    const read = await readLogo(resolve(folder, logo))
    const brand = { ...settings.brand, logo: read }
    return { config: { ...config, settings: { ...settings, brand } }, faults: [] }
  } catch (error) {
    if (error instanceof ApiError) return { config, faults: error.details }
    throw error
  }
}

async function readLogo(file: string): Promise<string> {
  const type = logoType(file)
  if (type === undefined) throw refuse('FORMAT', PATH, `${PATH} must be a file .png or .svg`)
  const content = await readFile(file).catch((error: unknown) => {
    throw refuse('NOT_FOUND', PATH, `${PATH} cannot be read: ${String(error)}`)
  })
  assertLogo(content, type, PATH)
  return logoAsText(content, type)
}
