/** Writes the JSON Schema of the configuration file, for editors. */
import { writeFileSync } from 'node:fs'
import { ConfigSchema } from '../src/configuration/index.ts'

writeFileSync(
  new URL('kontor.schema.json', import.meta.url),
  `${JSON.stringify({ ...ConfigSchema }, null, 2)}\n`,
)
