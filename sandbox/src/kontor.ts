/**
 * Kontor's configuration for this world: `kontor.json` in the world's folder, written from the
 * template at each start.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const TEMPLATE = new URL('../kontor.json', import.meta.url)

/** Replaces every `${NAME}` of the template. Throws for a name that this world does not have. */
export function writeKontorConfiguration(
  dir: string,
  values: Readonly<Record<string, string>>,
): void {
  const known: Readonly<Record<string, string>> = { SANDBOX_DIR: resolve(dir), ...values }
  const text = readFileSync(TEMPLATE, 'utf8').replaceAll(
    /\$\{([A-Z_]+)\}/g,
    (_whole, name: string) => {
      const value = known[name]
      if (value === undefined)
        throw new Error(`kontor.json names ${name}, which this world does not have`)
      return JSON.stringify(value).slice(1, -1)
    },
  )
  const path = join(dir, 'kontor.json')
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}
