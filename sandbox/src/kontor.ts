/** The configuration with which Kontor finds this world: `kontor.json` of the world's folder, written at each start from the template. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const TEMPLATE = new URL('../kontor.json', import.meta.url)

/** Replaces every `${NAME}` of the template. Throws when the template names what this world does not have. */
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
